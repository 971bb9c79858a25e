"""A person's principal address: asked for, confirmed by whoever reads its mail, then theirs."""

from typing import Any

from mujina.accounts.emails import operations as emails
from mujina.accounts.users.rules import UserRow
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import TAKEN
from mujina.kernel.events import record
from mujina.kernel.text import fold


async def change_address(tx: Tx, actor: Actor, user: UserRow, email: str, *, at_once: bool) -> dict[str, Any]:
    """The new address: now, or once it is confirmed; what became of it."""
    if email == user.email:
        return {}
    if at_once:
        await _move(tx, user.id, email)
        return {"email": (user.email, email)}
    await tx.run("UPDATE users SET unconfirmed_email = :email WHERE id = :id", id=user.id, email=email)
    await record(tx, "user.confirmation_requested", actor, subject_id=user.id, changes={"email": (user.email, email)})
    return {}


async def confirm(tx: Tx, actor: Actor, user: UserRow) -> None:
    """The person's address is confirmed; if they asked for another one in its place, that is theirs now."""
    wanted = await tx.value("SELECT u.unconfirmed_email FROM users u WHERE u.id = :id FOR UPDATE", id=user.id)
    if wanted is not None:
        await _move(tx, user.id, wanted)
    now = clock.now()
    await tx.run("UPDATE users SET confirmed_at = :now, updated_at = :now WHERE id = :id", id=user.id, now=now)
    changes = {} if wanted is None else {"email": (user.email, wanted)}
    await record(tx, "user.confirmed", actor, subject_id=user.id, changes=changes)


async def confirm_address(tx: Tx, actor: Actor, user: UserRow, address: str) -> bool:
    """Like `confirm`, if this is the address that waits for it."""
    waiting = await tx.value(
        "SELECT coalesce(u.unconfirmed_email, u.email) FROM users u WHERE u.id = :id FOR UPDATE", id=user.id
    )
    if waiting != address:
        return False
    await confirm(tx, actor, user)
    return True


async def _move(tx: Tx, user_id: int, email: str) -> None:
    """The address before becomes a further one."""
    try:
        await emails.make_principal(tx, user_id, email)
        await tx.run(
            """UPDATE users SET email = :email, email_folded = :folded, unconfirmed_email = NULL, updated_at = :now
               WHERE id = :id""",
            id=user_id, email=email, folded=fold(email), now=clock.now(),
        )  # fmt: skip
    except UniqueViolation:
        raise errors.invalid({"email": [TAKEN]}) from None
