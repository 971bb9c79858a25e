"""The primary e-mail address of a user: requested, confirmed by a mailed link, then in use."""

from typing import Any

from mujina.accounts.emails import operations as emails
from mujina.accounts.mails.limits import check_rate
from mujina.accounts.users.rules import UserRow
from mujina.kernel import clock
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold


async def change_address(tx: Tx, actor: Actor, user: UserRow, email: str, *, confirmed: bool) -> dict[str, Any]:
    """Change the address now if it is `confirmed`, else once the user confirms it. Returns the changes made now."""
    if email == user.email:
        return {}
    if confirmed:
        await _move(tx, user.id, email)
        return {"email": (user.email, email)}
    await check_rate(tx, actor, email)
    await update(tx, "users", {"unconfirmed_email": email}, id=user.id)
    await record(tx, "user.confirmation_requested", actor, subject_id=user.id, changes={"email": (user.email, email)})
    return {}


async def confirm(tx: Tx, actor: Actor, user: UserRow) -> None:
    """Confirm the user's address. A requested new address replaces the current one."""
    requested = await tx.value("SELECT u.unconfirmed_email FROM users u WHERE u.id = :id FOR UPDATE", id=user.id)
    if requested is not None:
        await _move(tx, user.id, requested)
    now = clock.now()
    await update(tx, "users", {"confirmed_at": now, "updated_at": now}, id=user.id)
    changes = {} if requested is None else {"email": (user.email, requested)}
    await record(tx, "user.confirmed", actor, subject_id=user.id, changes=changes)


async def confirm_address(tx: Tx, actor: Actor, user: UserRow, address: str) -> bool:
    """Like `confirm`, but False if this is not the address to be confirmed."""
    unconfirmed = await tx.value(
        "SELECT coalesce(u.unconfirmed_email, u.email) FROM users u WHERE u.id = :id FOR UPDATE", id=user.id
    )
    if unconfirmed != address:
        return False
    await confirm(tx, actor, user)
    return True


async def _move(tx: Tx, user_id: int, email: str) -> None:
    """Make this the primary address; the previous one becomes a secondary address."""
    with unique("email"):
        await emails.make_primary(tx, user_id, email)
        columns = {"email": email, "email_folded": fold(email), "unconfirmed_email": None, "updated_at": clock.now()}
        await update(tx, "users", columns, id=user_id)
