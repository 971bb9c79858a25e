"""Changes of notification settings."""

from mujina.accounts.emails.operations import normalize
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from mujina.workspaces.notification_settings.params import EVENTS, NUMBERS, EditGlobalNotifications, EditNotifications
from mujina.workspaces.notification_settings.rules import NotificationScope, find_settings
from mujina.workspaces.owners.rules import owner_ids

NOT_OWNED = {"notification_email": ["is not an email you own"]}


async def edit(
    tx: Tx, actor: Actor, scope: NotificationScope, change: EditGlobalNotifications | EditNotifications
) -> None:
    """Store the settings that the change contains; the others stay as they are."""
    before = await find_settings(tx, actor.id, scope)
    email = before.email
    if isinstance(change, EditGlobalNotifications) and change.notification_email is not UNSET:
        email = await _own_address(tx, actor, change.notification_email)
    choices = change.sent_fields()
    kept = {name for name in before.events.split() if choices.get(name) is not False}
    events = [name for name in EVENTS if name in kept or choices.get(name) is True]
    level = change.level or before.level
    await upsert(
        tx, "notification_settings", "user_id, source_kind, source_id", user_id=actor.id, **scope.bound, level=level,
        email=email, events=" ".join(events), updated_at=clock.now(),
    )  # fmt: skip
    if scope.kind != "everything":
        await members.set_notification_level(tx, Source(scope.kind, scope.id), actor.id, NUMBERS[level])
    await record(
        tx, "notification_settings.updated", actor, subject_id=actor.id, changes={"level": (before.level, level)},
        **owner_ids(scope.kind, scope.id),
    )  # fmt: skip


async def _own_address(tx: Tx, actor: Actor, email: str) -> str:
    """The address, if it is a confirmed one of the actor's; 400 otherwise."""
    found = await tx.value(
        """SELECT a.email FROM emails a WHERE a.user_id = :user_id AND a.email = :email
           AND (a.is_primary OR a.confirmed_at IS NOT NULL)""",
        user_id=actor.id,
        email=normalize(email),
    )
    if found is None:
        raise errors.invalid(NOT_OWNED)
    return found
