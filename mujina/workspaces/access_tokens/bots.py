"""Bots: users without a password or mail, each a member of the one project or group to which its token belongs.

What a bot may do follows from its membership alone, as for any user: there is one computation of access.
"""

from secrets import token_hex

from mujina.accounts.users.bots import create_bot_user
from mujina.accounts.users.removing import operations as removal
from mujina.accounts.users.rules import find_user
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from mujina.workspaces.owners.rules import Owner


async def create_bot(tx: Tx, actor: Actor, owner: Owner, name: str, level: int, expires_on: str | None) -> int:
    """A new bot that is a member of the owner at this level."""
    username = f"{owner.kind}_{owner.id}_bot_{token_hex(8)}"
    user_id = await create_bot_user(tx, username, name)
    await insert(tx, "bots", user_id=user_id, created_by_id=actor.id or None, **owner.ids)
    await record(tx, "user.created", actor, subject_id=user_id)
    await members.add(tx, actor, Source(owner.kind, owner.id), user_id, level, expires_on)
    return user_id


async def remove_bot(tx: Tx, actor: Actor, user_id: int) -> None:
    """The bot loses its access at once; what it wrote becomes the ghost's, what is left of it in a job."""
    await removal.remove(tx, actor, await find_user(tx, user_id, lock=True), hard=False)
