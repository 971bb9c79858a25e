"""How many mails a user may have sent to addresses that may be those of strangers."""

from datetime import timedelta
from typing import Final

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold

MAX_MAILS: Final = 100
"""Invitations, and links that confirm an address, that one user may have mailed in `PERIOD`."""
MAX_SAME: Final = 5
"""Mails per address within the limit above: withdrawing and sending again does not send more often."""
PERIOD: Final = timedelta(hours=1)
TOO_MANY = f"You have had {MAX_MAILS} emails sent within an hour. Try again later."
TOO_OFTEN = f"You have had {MAX_SAME} emails sent to this address within an hour. Try again later."


async def check_rate(tx: Tx, actor: Actor, email: str) -> None:
    """403 for a user who has had many mails sent, or several to this address: strangers get no flood of mail.

    Administrators, who create users and their addresses, have no limit.
    """
    if actor.admin or not actor.id:
        return
    # Requests of the same moment count each other's mails.
    await tx.value("SELECT u.id FROM users u WHERE u.id = :id FOR NO KEY UPDATE", id=actor.id)
    sent: list[str] = await tx.values(
        """SELECT e.changes FROM events e WHERE e.author_id = :id AND e.created_at > :since AND e.created_at <= :now
           AND e.kind IN ('email.added', 'invitation.created', 'invitation.resent', 'user.confirmation_requested')
           LIMIT :max""",
        id=actor.id,
        since=clock.later(-PERIOD),
        now=clock.now(),  # an event that was recorded with a wrong clock does not count until then
        max=MAX_MAILS,
    )
    if len(sent) >= MAX_MAILS:
        raise errors.forbidden(TOO_MANY)
    if sum(fold(msgspec.json.decode(changes)["email"][1]) == fold(email) for changes in sent) >= MAX_SAME:
        raise errors.forbidden(TOO_OFTEN)
