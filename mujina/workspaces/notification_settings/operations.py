"""What happens to wishes about notifications."""

from mujina.accounts.emails.operations import normalize
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.params import UNSET
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from mujina.workspaces.notification_settings.params import EVENTS, NUMBERS, EditGlobalSettings, EditSettings
from mujina.workspaces.notification_settings.rules import About, find_wish

NOT_THEIRS = {"notification_email": ["is not an email you own"]}


async def edit(tx: Tx, actor: Actor, about: About, change: EditGlobalSettings | EditSettings) -> None:
    """The wish is this from now on; what is not said stays."""
    before = await find_wish(tx, actor.id, about)
    email = before.email
    if isinstance(change, EditGlobalSettings) and change.notification_email is not UNSET:
        email = await _own(tx, actor, change.notification_email)
    said = change.given()
    heard = {name for name in before.events.split() if said.get(name) is not False}
    events = [name for name in EVENTS if name in heard or said.get(name) is True]
    level = change.level or before.level
    await tx.run(
        """
        INSERT INTO notification_settings (user_id, source_kind, source_id, level, email, events, updated_at)
        VALUES (:user_id, :source_kind, :source_id, :level, :email, :events, :now)
        ON CONFLICT (user_id, source_kind, source_id) DO UPDATE
        SET level = excluded.level, email = excluded.email, events = excluded.events, updated_at = excluded.updated_at
        """,
        user_id=actor.id, level=level, email=email, events=" ".join(events), now=clock.now(), **about.bound,
    )  # fmt: skip
    if about.kind != "everything":
        await members.hear(tx, Source(about.kind, about.id), actor.id, NUMBERS[level])
    await record(
        tx, "notification_settings.updated", actor, subject_id=actor.id,
        project_id=about.id if about.kind == "project" else None,
        group_id=about.id if about.kind == "group" else None, changes={"level": (before.level, level)},
    )  # fmt: skip


async def _own(tx: Tx, actor: Actor, email: str) -> str:
    """The address, if it is a confirmed one of theirs."""
    found = await tx.value(
        """SELECT a.email FROM emails a WHERE a.user_id = :user_id AND a.email = :email
           AND (a.principal OR a.confirmed_at IS NOT NULL)""",
        user_id=actor.id, email=normalize(email),
    )  # fmt: skip
    if found is None:
        raise errors.invalid(NOT_THEIRS)
    return found
