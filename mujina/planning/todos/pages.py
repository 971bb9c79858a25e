"""The to-do list."""

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.planning.todos import choices, filters, lines, operations
from mujina.planning.todos.params import FilterTodos, ListTodos
from mujina.planning.todos.rules import find_todo


@view("/dashboard/todos")
async def show_todos(request: PageRequest, query: FilterTodos, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        selection = filters.own(tx.product, request.actor, query.chosen)
        found = await lines.load_page(tx, selection, page)
        offered = await choices.of_todos(tx, filters.own(tx.product, request.actor, ListTodos(state=query.state)))
    context = {"todos": found, "query": query, "choices": offered}
    return HtmlPage("planning/todos.html", context, fragments=("todos",))


@form("/dashboard/todos/{id:int}/done", again="/dashboard/todos")
async def finish_todo(request: PageRequest, id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.finish(tx, await find_todo(tx, request.actor, id))
    return Redirect(request.target("/dashboard/todos"))


@form("/dashboard/todos/done", again="/dashboard/todos")
async def finish_all_todos(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        await operations.finish_all(tx, request.actor)
    return Redirect("/dashboard/todos", flash="Everything is marked as done.")
