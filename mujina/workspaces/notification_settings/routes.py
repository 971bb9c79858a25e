"""Notification settings of the caller."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, put
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.notification_settings import entities, operations
from mujina.workspaces.notification_settings.entities import NotificationSettings
from mujina.workspaces.notification_settings.params import EditGlobalNotifications, EditNotifications
from mujina.workspaces.notification_settings.rules import NotificationScope
from mujina.workspaces.projects.rules import find_project


@get("/notification_settings")
async def show_notification_settings(call: Call) -> NotificationSettings:
    """Show your global notification settings."""
    async with call.reading() as tx:
        return await entities.single(tx, call.actor, NotificationScope())


@put("/notification_settings")
async def edit_notification_settings(call: Call, change: EditGlobalNotifications) -> NotificationSettings:
    """Change your global notification settings."""
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, NotificationScope(), change)
        return await entities.single(tx, call.actor, NotificationScope())


@get("/groups/:id/notification_settings")
async def show_group_notification_settings(call: Call, id: Ref) -> NotificationSettings:
    async with call.reading() as tx:
        scope = NotificationScope("group", (await find_group(tx, call.actor, id)).id)
        return await entities.single(tx, call.actor, scope)


@put("/groups/:id/notification_settings")
async def edit_group_notification_settings(call: Call, id: Ref, change: EditNotifications) -> NotificationSettings:
    async with call.transaction() as tx:
        scope = NotificationScope("group", (await find_group(tx, call.actor, id)).id)
        await operations.edit(tx, call.actor, scope, change)
        return await entities.single(tx, call.actor, scope)


@get("/projects/:id/notification_settings")
async def show_project_notification_settings(call: Call, id: Ref) -> NotificationSettings:
    async with call.reading() as tx:
        scope = NotificationScope("project", (await find_project(tx, call.actor, id)).id)
        return await entities.single(tx, call.actor, scope)


@put("/projects/:id/notification_settings")
async def edit_project_notification_settings(call: Call, id: Ref, change: EditNotifications) -> NotificationSettings:
    async with call.transaction() as tx:
        scope = NotificationScope("project", (await find_project(tx, call.actor, id)).id)
        await operations.edit(tx, call.actor, scope, change)
        return await entities.single(tx, call.actor, scope)
