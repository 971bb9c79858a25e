"""Notification settings of the caller."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, put
from mujina.workspaces.notification_settings import entities, operations
from mujina.workspaces.notification_settings.entities import NotificationSettings
from mujina.workspaces.notification_settings.params import EditGlobalNotifications, EditNotifications
from mujina.workspaces.notification_settings.rules import NotificationScope
from mujina.workspaces.owners.rules import OwnerKind, find_owner


@get("/notification_settings")
async def show_notification_settings(call: Call) -> NotificationSettings:
    """Show your global notification settings."""
    async with call.reading() as tx:
        return await entities.load_one(tx, call.actor, NotificationScope())


@put("/notification_settings")
async def edit_notification_settings(call: Call, change: EditGlobalNotifications) -> NotificationSettings:
    """Change your global notification settings."""
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, NotificationScope(), change)
        return await entities.load_one(tx, call.actor, NotificationScope())


@get(group="/groups/:id/notification_settings", project="/projects/:id/notification_settings")
async def show_owner_notification_settings(call: Call, kind: OwnerKind, id: Ref) -> NotificationSettings:
    async with call.reading() as tx:
        scope = NotificationScope(kind, (await find_owner(tx, call.actor, kind, id)).id)
        return await entities.load_one(tx, call.actor, scope)


@put(group="/groups/:id/notification_settings", project="/projects/:id/notification_settings")
async def edit_owner_notification_settings(
    call: Call, kind: OwnerKind, id: Ref, change: EditNotifications
) -> NotificationSettings:
    async with call.transaction() as tx:
        scope = NotificationScope(kind, (await find_owner(tx, call.actor, kind, id)).id)
        await operations.edit(tx, call.actor, scope, change)
        return await entities.load_one(tx, call.actor, scope)
