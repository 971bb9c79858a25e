"""Protected tags."""

from mujina.code.protected_branches.grants import read_grants
from mujina.code.protected_tags import entities, operations
from mujina.code.protected_tags.entities import ProtectedTag
from mujina.code.protected_tags.params import ProtectTag
from mujina.code.protected_tags.rules import find_protected_tag, protected_tags_in
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@get("/projects/:id/protected_tags")
async def list_protected_tags(call: Call, id: Ref, page: Page) -> Paged[ProtectedTag]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_page(tx, protected_tags_in(project.id), page)


@get("/projects/:id/protected_tags/:name")
async def show_protected_tag(call: Call, id: Ref, name: Segment) -> ProtectedTag:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return (await entities.to_entities(tx, [await find_protected_tag(tx, project.id, name)]))[0]


@post("/projects/:id/protected_tags")
async def protect_tag(call: Call, id: Ref, change: ProtectTag) -> ProtectedTag:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        grants = await read_grants(
            tx, project.id, "allowed_to_create", change.create_access_level, change.allowed_to_create
        )
        await operations.protect(tx, call.actor, project.id, change.name, grants)
        return (await entities.to_entities(tx, [await find_protected_tag(tx, project.id, change.name)]))[0]


@delete("/projects/:id/protected_tags/:name")
async def unprotect_tag(call: Call, id: Ref, name: Segment) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        tag = await find_protected_tag(tx, project.id, name)
        call.unless_modified(tag.updated_at)
        await operations.unprotect(tx, call.actor, project.id, tag)
