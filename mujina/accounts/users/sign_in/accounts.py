"""Which users may sign in, and with what: state, password and two-factor authentication."""

from mujina.accounts.users.rules import UserRow
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.permissions.actor import SYSTEM, Actor

PENDING = "blocked_pending_approval"
"""The state of a user who signed up and whom no administrator has approved yet."""
LDAP_BLOCKED = "LDAP blocked users cannot be {} by the API"


async def block(tx: Tx, actor: Actor, user: UserRow) -> bool:
    """Every credential of the user fails from the next request on. False if the user was blocked already."""
    if user.state == "ldap_blocked":
        raise errors.forbidden(LDAP_BLOCKED.format("modified"))
    await check_not_last_admin(tx, user)
    return await _move(tx, actor, user, "active", "blocked")


async def unblock(tx: Tx, actor: Actor, user: UserRow) -> bool:
    """The user's credentials are valid again. False if the user was not blocked."""
    if user.state == "ldap_blocked":
        raise errors.forbidden(LDAP_BLOCKED.format("unblocked"))
    return await _move(tx, actor, user, "blocked", "active")


async def await_approval(tx: Tx, user_id: int) -> None:
    """A user who just signed up gets in once an administrator approves; the administrators are told."""
    await update(tx, "users", {"state": PENDING}, id=user_id)
    await record(tx, "user.approval_requested", SYSTEM, subject_id=user_id)


async def approve(tx: Tx, actor: Actor, user: UserRow) -> None:
    """Let in a user found with `lock` who signed up; 409 for any other. The mail that confirms their address is sent only now."""
    check_pending(user, "approve")
    await update(tx, "users", {"state": "active", "updated_at": clock.now()}, id=user.id)
    await record(tx, "user.approved", actor, subject_id=user.id)
    unconfirmed: str | None = await tx.value(
        "SELECT u.email FROM users u WHERE u.id = :id AND u.confirmed_at IS NULL", id=user.id
    )
    if unconfirmed is not None:
        changes = {"email": (None, unconfirmed)}
        await record(tx, "user.confirmation_requested", SYSTEM, subject_id=user.id, changes=changes)


def check_pending(user: UserRow, verb: str) -> None:
    """409 unless the user signed up and waits for approval."""
    if user.state != PENDING:
        raise errors.conflict(f"The user you are trying to {verb} is not pending approval")


async def block_by_directory(tx: Tx, user: UserRow) -> bool:
    """Block a user whom the directory no longer has; it alone lifts this. Never the last administrator."""
    await check_not_last_admin(tx, user)
    return await _move(tx, SYSTEM, user, "active", "ldap_blocked")


async def unblock_by_directory(tx: Tx, user: UserRow) -> bool:
    """The directory has the user again; a user whom an administrator blocked stays blocked."""
    return await _move(tx, SYSTEM, user, "ldap_blocked", "active")


async def set_admin(tx: Tx, user: UserRow, *, admin: bool) -> None:
    """Make the user an administrator or an ordinary user, as the directory says. Never the last administrator."""
    if not admin:
        await check_not_last_admin(tx, user)
    await update(tx, "users", {"admin": admin, "updated_at": clock.now()}, id=user.id)
    await record(tx, "user.updated", SYSTEM, subject_id=user.id, changes={"admin": (not admin, admin)})


async def keep_password(tx: Tx, user_id: int) -> None:
    """The user need not change the stored password: they chose it, or the directory has the one that counts."""
    await tx.run(
        "UPDATE users SET password_expires_at = NULL WHERE id = :id AND password_expires_at IS NOT NULL", id=user_id
    )


async def set_password(tx: Tx, actor: Actor, user: UserRow, password_hash: str, *, expired: bool = False) -> None:
    """Set the password. The user must change an expired one at the next sign-in."""
    now = clock.now()
    expires_at = now if expired else None
    columns = {"password_hash": password_hash, "password_expires_at": expires_at, "updated_at": now}
    await update(tx, "users", columns, id=user.id)
    await record(tx, "user.password_changed", actor, subject_id=user.id)


async def renew_hash(tx: Tx, user_id: int, former: str, password_hash: str) -> bool:
    """Store a new hash of the same password. False if the stored hash is no longer `former`."""
    changed = await tx.run(
        "UPDATE users SET password_hash = :password_hash WHERE id = :id AND password_hash = :former",
        password_hash=password_hash,
        id=user_id,
        former=former,
    )
    return changed > 0


async def set_two_factor(tx: Tx, actor: Actor, user: UserRow, *, enabled: bool) -> None:
    """Enable or disable two-factor authentication, from the next sign-in on."""
    await update(tx, "users", {"two_factor_enabled": enabled, "updated_at": clock.now()}, id=user.id)
    await record(tx, "user.two_factor_enabled" if enabled else "user.two_factor_disabled", actor, subject_id=user.id)


async def require_two_factor(tx: Tx, user_id: int, due_at: str) -> None:
    """Set the deadline for enabling two-factor authentication. A deadline that is set already stays."""
    await tx.run(
        """
        UPDATE users SET two_factor_due_at = :due_at
        WHERE id = :id AND NOT two_factor_enabled AND two_factor_due_at IS NULL
        """,
        id=user_id,
        due_at=due_at,
    )


async def lift_two_factor_requirement(tx: Tx, event: Event) -> None:
    """Drop every deadline once two-factor authentication is no longer required. A later requirement sets new ones."""
    if event.changes.get("require_two_factor_authentication", (None, None))[1] is False:
        await tx.run("UPDATE users SET two_factor_due_at = NULL WHERE two_factor_due_at IS NOT NULL")


async def check_not_last_admin(tx: Tx, user: UserRow) -> None:
    """Refuse a change that would leave the instance without an administrator. Locks the rows of all administrators."""
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
        await record(tx, "user.unblocked" if after == "active" else "user.blocked", actor, subject_id=user.id)
    return moved > 0


class AccountView(Row, alias="u"):
    """A user as the command line lists them."""

    id: int
    username: str
    name: str
    email: str
    state: str
    admin: bool


async def list_accounts(tx: Tx) -> list[AccountView]:
    """Every user who is not deleted, oldest first."""
    return await tx.rows(
        AccountView,
        f"SELECT {AccountView.columns} FROM users u WHERE u.kind = 'person' AND u.deleted_at IS NULL ORDER BY u.id",
    )


async def set_note(tx: Tx, user_id: int, note: str | None) -> None:
    """Store what administrators note about the user."""
    await update(tx, "users", {"note": note or None}, id=user_id)
