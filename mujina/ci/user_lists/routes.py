"""Lists of users for whom feature flags are on."""

from mujina.ci.user_lists import entities, operations
from mujina.ci.user_lists.entities import UserList, to_user_list
from mujina.ci.user_lists.params import CreateUserList, EditUserList, ListUserLists
from mujina.ci.user_lists.rules import READ_FEATURE_FLAGS, WRITE_FEATURE_FLAGS, find_user_list
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/feature_flags_user_lists")
async def list_user_lists(call: Call, id: Ref, query: ListUserLists, page: Page) -> Paged[UserList]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_FEATURE_FLAGS)
        return await entities.load_page(tx, project.id, query, page)


@get("/projects/:id/feature_flags_user_lists/:iid")
async def show_user_list(call: Call, id: Ref, iid: int) -> UserList:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_FEATURE_FLAGS)
        return to_user_list(await find_user_list(tx, project.id, iid))


@post("/projects/:id/feature_flags_user_lists")
async def create_user_list(call: Call, id: Ref, change: CreateUserList) -> UserList:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_FEATURE_FLAGS)
        iid = await operations.create(tx, call.actor, project.id, change)
        return to_user_list(await find_user_list(tx, project.id, iid))


@put("/projects/:id/feature_flags_user_lists/:iid")
async def edit_user_list(call: Call, id: Ref, iid: int, change: EditUserList) -> UserList:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_FEATURE_FLAGS)
        await operations.edit(tx, call.actor, await find_user_list(tx, project.id, iid), change)
        return to_user_list(await find_user_list(tx, project.id, iid))


@delete("/projects/:id/feature_flags_user_lists/:iid")
async def delete_user_list(call: Call, id: Ref, iid: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_FEATURE_FLAGS)
        user_list = await find_user_list(tx, project.id, iid)
        call.unless_modified(user_list.updated_at)
        await operations.remove(tx, call.actor, user_list)
