"""Members of projects."""

from mujina.domains.members import entities, operations
from mujina.domains.members.params import AddMember, ListMembers
from mujina.domains.members.rules import Source, direct_members, find_member
from mujina.domains.projects.rules import ADMIN_PROJECT, READ_MEMBERS, find_project
from mujina.kernel import clock
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import delete, get, post


@get("/projects/:id/members")
async def list_project_members(call: Call, id: Ref, query: ListMembers, page: Page) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_MEMBERS)
        chosen = direct_members(Source("project", project.id), clock.today())
        if query.query:
            chosen.matching(query.query, "u.name_folded", "u.username_folded")
        return page.of(await entities.listed(tx, chosen, page), await chosen.total(tx))


@post("/projects/:id/members")
async def add_project_member(call: Call, id: Ref, change: AddMember) -> Json:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        source = Source("project", project.id)
        await operations.add(tx, call.actor, source, change.user_id, change.access_level, change.expires_at or None)
        return await entities.single(tx, source, change.user_id)


@delete("/projects/:id/members/:user_id")
async def remove_project_member(call: Call, id: Ref, user_id: int) -> Json:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        source = Source("project", project.id)
        call.unless_modified(await find_member(tx, source, user_id))
        await operations.remove(tx, call.actor, source, user_id)
