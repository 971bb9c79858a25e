"""Users without a password or mail: bots, whose only credential is a token of a project or group, and imported names.

An imported name is the author of what a person wrote on another forge, until that person's user here takes it over.
"""

from typing import Final

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold

BOT: Final = "bot"
IMPORTED: Final = "imported"


async def create_bot_user(tx: Tx, username: str, name: str, *, kind: str = BOT) -> int:
    """A new bot. It is no administrator, creates nothing of its own and, being external, sees no internal project."""
    # The domain `invalid` is reserved: no mail reaches this address.
    email, now = f"{username}@{kind}.invalid", clock.now()
    user_id: int = await insert_id(
        tx, "users", kind=kind, username=username, username_folded=username, name=name, name_folded=fold(name),
        email=email, email_folded=email, external=True, can_create_group=False, projects_limit=0, confirmed_at=now,
        created_at=now, updated_at=now,
    )  # fmt: skip
    await emails.claim_primary(tx, user_id, email, now)
    await paths.create_user_namespace(tx, user_id, username)
    return user_id
