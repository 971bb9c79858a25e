"""Who may sign in, and with which password."""

import msgspec

from mujina.accounts.users.rules import UserRow
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record

LDAP_BLOCKED = "LDAP blocked users cannot be {} by the API"


async def block(tx: Tx, actor: Actor, user: UserRow) -> bool:
    """From the next request on, no credential of this person is good; whether it was before."""
    if user.state == "ldap_blocked":
        raise errors.forbidden(LDAP_BLOCKED.format("modified"))
    await check_not_last(tx, user)
    return await _move(tx, actor, user, "active", "blocked")


async def unblock(tx: Tx, actor: Actor, user: UserRow) -> bool:
    """The person's credentials are good again; whether they were not."""
    if user.state == "ldap_blocked":
        raise errors.forbidden(LDAP_BLOCKED.format("unblocked"))
    return await _move(tx, actor, user, "blocked", "active")


async def set_password(tx: Tx, actor: Actor, user: UserRow, password_hash: str, *, expired: bool = False) -> None:
    """Sign-ins need the new password; an expired one must be changed at the first of them."""
    now = clock.now()
    await tx.run(
        """
        UPDATE users SET password_hash = :password_hash, password_expires_at = :expires_at, updated_at = :now
        WHERE id = :id
        """,
        password_hash=password_hash, expires_at=now if expired else None, now=now, id=user.id,
    )  # fmt: skip
    await record(tx, "user.password_changed", actor, subject_id=user.id)


async def renew_hash(tx: Tx, user_id: int, former: str, password_hash: str) -> bool:
    """The same password, hashed anew; whether it still was the password, hashed as before."""
    changed = await tx.run(
        "UPDATE users SET password_hash = :password_hash WHERE id = :id AND password_hash = :former",
        password_hash=password_hash, id=user_id, former=former,
    )  # fmt: skip
    return changed > 0


async def set_two_factor(tx: Tx, actor: Actor, user: UserRow, *, enabled: bool) -> None:
    """Whether a password alone is enough: at every door where one is shown, from the next time on."""
    await tx.run(
        "UPDATE users SET two_factor_enabled = :enabled, updated_at = :now WHERE id = :id",
        enabled=enabled, now=clock.now(), id=user.id,
    )  # fmt: skip
    await record(tx, "user.two_factor_enabled" if enabled else "user.two_factor_disabled", actor, subject_id=user.id)


async def ask_for_two_factor(tx: Tx, user_id: int, due_at: str) -> None:
    """Whoever has no second factor has to set one up until then; being told again wins no time."""
    await tx.run(
        """
        UPDATE users SET two_factor_due_at = :due_at
        WHERE id = :id AND NOT two_factor_enabled AND two_factor_due_at IS NULL
        """,
        id=user_id,
        due_at=due_at,
    )


async def ask_no_more_for_two_factor(tx: Tx, event: Event) -> None:
    """Where a second factor is required no longer, nobody is late; if it is required again, everybody has time again."""
    if event.changes.get("require_two_factor_authentication", (None, None))[1] is False:
        await tx.run("UPDATE users SET two_factor_due_at = NULL WHERE two_factor_due_at IS NOT NULL")


async def check_not_last(tx: Tx, user: UserRow) -> None:
    """Refuse what would leave the instance without an administrator. The others are held until the change is made."""
    if not user.admin or user.state != "active":
        return
    active = await tx.values(
        """
        SELECT u.id FROM users u WHERE u.admin AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL
        ORDER BY u.id FOR UPDATE
        """
    )
    if active == [user.id]:
        raise errors.forbidden("The last administrator cannot be blocked, deleted or made an ordinary user")


async def _move(tx: Tx, actor: Actor, user: UserRow, before: str, after: str) -> bool:
    moved = await tx.run(
        "UPDATE users SET state = :after, updated_at = :now WHERE id = :id AND state = :before",
        after=after, now=clock.now(), id=user.id, before=before,
    )  # fmt: skip
    if moved:
        await record(tx, "user.blocked" if after == "blocked" else "user.unblocked", actor, subject_id=user.id)
    return moved > 0


class Account(msgspec.Struct, array_like=True, frozen=True):
    """A person as operators list them."""

    id: int
    username: str
    name: str
    email: str
    state: str
    admin: bool


async def accounts(tx: Tx) -> list[Account]:
    """Everybody who was not deleted, the oldest first."""
    return await tx.rows(
        Account,
        """
        SELECT u.id, u.username, u.name, u.email, u.state, u.admin FROM users u
        WHERE u.kind = 'person' AND u.deleted_at IS NULL ORDER BY u.id
        """,
    )
