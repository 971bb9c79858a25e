"""How much the caller wants to hear."""

from mujina.kernel.http import Call, Json
from mujina.kernel.params import Ref
from mujina.kernel.routing import get, put
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.notification_settings import entities, operations
from mujina.workspaces.notification_settings.params import EditGlobalSettings, EditSettings
from mujina.workspaces.notification_settings.rules import About
from mujina.workspaces.projects.rules import find_project


@get("/notification_settings")
async def show_notification_settings(call: Call) -> Json:
    async with call.reading() as tx:
        return await entities.single(tx, call.actor, About())


@put("/notification_settings")
async def edit_notification_settings(call: Call, change: EditGlobalSettings) -> Json:
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, About(), change)
        return await entities.single(tx, call.actor, About())


@get("/groups/:id/notification_settings")
async def show_group_notification_settings(call: Call, id: Ref) -> Json:
    async with call.reading() as tx:
        about = About("group", (await find_group(tx, call.actor, id)).id)
        return await entities.single(tx, call.actor, about)


@put("/groups/:id/notification_settings")
async def edit_group_notification_settings(call: Call, id: Ref, change: EditSettings) -> Json:
    async with call.transaction() as tx:
        about = About("group", (await find_group(tx, call.actor, id)).id)
        await operations.edit(tx, call.actor, about, change)
        return await entities.single(tx, call.actor, about)


@get("/projects/:id/notification_settings")
async def show_project_notification_settings(call: Call, id: Ref) -> Json:
    async with call.reading() as tx:
        about = About("project", (await find_project(tx, call.actor, id)).id)
        return await entities.single(tx, call.actor, about)


@put("/projects/:id/notification_settings")
async def edit_project_notification_settings(call: Call, id: Ref, change: EditSettings) -> Json:
    async with call.transaction() as tx:
        about = About("project", (await find_project(tx, call.actor, id)).id)
        await operations.edit(tx, call.actor, about, change)
        return await entities.single(tx, call.actor, about)
