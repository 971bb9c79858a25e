"""Adding, confirming and removing e-mail addresses. An address, primary or secondary, belongs to one user only."""

import re

from mujina.accounts.emails.rules import CONFIRMED, EmailRow, public_address_of
from mujina.accounts.mails.limits import check_rate
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, INVALID, TAKEN, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold

# Without what the header of a mail would read as something else: lists, groups, comments, quotes, encoded words.
_ADDRESS = re.compile(r"(?!.*=\?)[^@\s,:;<>()\[\]\\\"]{1,64}@[^@\s,:;<>()\[\]\\\"]{1,190}")


def normalize(email: str) -> str:
    """An address as it is stored."""
    return email.strip().lower()


def check_address(problems: Problems, email: str) -> None:
    """Add a problem if this is not an e-mail address."""
    if not email:
        problems.add("email", BLANK)
    elif not _ADDRESS.fullmatch(email) or not email.isprintable():
        problems.add("email", INVALID)


async def owner_of(tx: Tx, email: str) -> tuple[int, bool] | None:
    """The id of the user who has this address, and whether it is their primary one."""
    return await tx.row(
        tuple[int, bool],
        "SELECT a.user_id, a.is_primary FROM emails a WHERE a.email_folded = :folded",
        folded=fold(email),
    )


async def claim_primary(tx: Tx, user_id: int, email: str, confirmed_at: str | None) -> None:
    """Claim the primary address of a new user."""
    await _claim(tx, user_id, email, is_primary=True, confirmed_at=confirmed_at)


async def add(tx: Tx, actor: Actor, user_id: int, email: str) -> int:
    """Add a secondary address. The reaction to the event mails a link that confirms it."""
    email = normalize(email)
    problems = Problems()
    check_address(problems, email)
    if not problems and await owner_of(tx, email):
        problems.add("email", TAKEN)
    problems.refuse()
    await check_rate(tx, actor, email)
    with unique("email"):
        email_id = await _claim(tx, user_id, email, is_primary=False, confirmed_at=None)
    await record(
        tx, "email.added", actor, subject_id=email_id, changes={"email": (None, email), "user_id": (None, user_id)}
    )
    return email_id


async def confirm(tx: Tx, actor: Actor, email: EmailRow) -> None:
    """The user has confirmed the address."""
    now = clock.now()
    await update(tx, "emails", {"confirmed_at": now, "updated_at": now}, id=email.id)
    await record(tx, "email.confirmed", actor, subject_id=email.id)


async def make_primary(tx: Tx, user_id: int, email: str) -> None:
    """Make this the user's primary address. The former primary address becomes a secondary one."""
    now = clock.now()
    await tx.run(
        "UPDATE emails SET is_primary = FALSE, updated_at = :now WHERE user_id = :user_id AND is_primary",
        user_id=user_id,
        now=now,
    )
    columns = {"email": email, "is_primary": True, "confirmed_at": now, "updated_at": now}
    promoted = await update(tx, "emails", columns, user_id=user_id, email_folded=fold(email))
    if not promoted:
        await _claim(tx, user_id, email, is_primary=True, confirmed_at=now)


async def publish(tx: Tx, actor: Actor, user_id: int, email: str) -> None:
    """Make this confirmed address of the user the one that everyone who is signed in may see; empty: none."""
    before = await public_address_of(tx, user_id)
    if fold(email) == fold(before):
        return
    await tx.run("UPDATE emails SET is_public = FALSE WHERE user_id = :user_id AND is_public", user_id=user_id)
    if email:
        published = await tx.run(
            f"""UPDATE emails SET is_public = TRUE WHERE user_id = :user_id AND email_folded = :folded
                AND id IN (SELECT a.id FROM emails a JOIN users u ON u.id = a.user_id
                           WHERE a.user_id = :user_id AND {CONFIRMED})""",
            user_id=user_id,
            folded=fold(email),
        )
        if not published:
            raise errors.invalid({"public_email": ["is not an address that you confirmed"]})
    await record(tx, "user.updated", actor, subject_id=user_id, changes={"public_email": (before, email)})


async def remove(tx: Tx, actor: Actor, email: EmailRow) -> None:
    """Remove the address; another user may add it again."""
    await delete_row(tx, "emails", "Email", id=email.id)
    await record(
        tx, "email.removed", actor, subject_id=email.id,
        changes={"email": (email.email, None), "user_id": (email.user_id, None)},
    )  # fmt: skip


async def release_user(tx: Tx, user_id: int) -> None:
    """Remove every address of a user."""
    await tx.run("DELETE FROM emails WHERE user_id = :user_id", user_id=user_id)


async def _claim(tx: Tx, user_id: int, email: str, *, is_primary: bool, confirmed_at: str | None) -> int:
    return await insert_id(
        tx, "emails", user_id=user_id, email=email, email_folded=fold(email), is_primary=is_primary,
        confirmed_at=confirmed_at, **timestamps(),
    )  # fmt: skip
