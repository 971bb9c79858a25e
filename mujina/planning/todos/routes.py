"""Todos."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.planning.noteables.addresses import find_noteable
from mujina.planning.todos import entities, filters, operations
from mujina.planning.todos.entities import Todo
from mujina.planning.todos.params import ListTodos
from mujina.planning.todos.rules import find_todo


@get("/todos")
async def list_todos(call: Call, query: ListTodos, page: Page) -> Paged[Todo]:
    """List your todos."""
    async with call.reading() as tx:
        selection = filters.own(tx.product, call.actor, query)
        return await entities.load_page(tx, call.actor, selection, page)


@post("/todos/:id/mark_as_done")
async def mark_todo_as_done(call: Call, id: int) -> Todo:
    async with call.transaction() as tx:
        todo = await find_todo(tx, call.actor, id)
        await operations.finish(tx, todo)
        return await entities.load_one(tx, call.actor, todo.id)


@post("/todos/mark_as_done", status=204)
async def mark_all_todos_as_done(call: Call) -> None:
    """Mark all your todos as done."""
    async with call.transaction() as tx:
        await operations.finish_all(tx, call.actor)


@post("/projects/:id/issues/:issue_iid/todo")
async def create_issue_todo(call: Call, id: Ref, issue_iid: int) -> Todo:
    async with call.transaction() as tx:
        issue = await find_noteable(tx, call.actor, "issue", id, issue_iid)
        todo_id = await operations.mark(tx, call.actor, issue)
        return await entities.load_one(tx, call.actor, todo_id)


@post("/groups/:id/-/epics/:epic_iid/todo", "/groups/:id/epics/:epic_iid/todo")
async def create_epic_todo(call: Call, id: Ref, epic_iid: int) -> Todo:
    async with call.transaction() as tx:
        epic = await find_noteable(tx, call.actor, "epic", id, epic_iid)
        todo_id = await operations.mark(tx, call.actor, epic)
        return await entities.load_one(tx, call.actor, todo_id)
