"""The ghost user: the author of what deleted users wrote."""

from contextlib import suppress

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.kernel import clock
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold

USERNAME, NAME = "ghost", "Ghost User"


async def ghost(tx: Tx) -> int:
    """The id of the only ghost user, who is created when first needed."""
    found = await _find(tx)
    while found is None:
        # Of two concurrent removals one creates it; the other fails once that is committed, and finds it.
        with suppress(UniqueViolation):
            async with tx.savepoint():
                found = await _create(tx)
        found = found or await _find(tx)
    return found


async def _find(tx: Tx) -> int | None:
    return await tx.value("SELECT u.id FROM users u WHERE u.kind = 'ghost' ORDER BY u.id LIMIT 1")


async def _create(tx: Tx) -> int:
    username = await _free_name(tx)
    # The domain `invalid` is reserved: no mail reaches this address.
    email, now = f"{username}@ghost.invalid", clock.now()
    user_id: int = await insert_id(
        tx, "users", kind="ghost", username=username, username_folded=username, name=NAME, name_folded=fold(NAME),
        email=email, email_folded=email, can_create_group=False, projects_limit=0,
        bio="What deleted people wrote is kept under this name.", confirmed_at=now, created_at=now, updated_at=now,
    )  # fmt: skip
    await emails.claim_primary(tx, user_id, email, now)
    await paths.create_user_namespace(tx, user_id, username)
    return user_id


async def _free_name(tx: Tx) -> str:
    """`ghost`, or `ghost1`, `ghost2` … if that is taken."""
    number, name = 0, USERNAME
    while await paths.taken(tx, name):
        number += 1
        name = f"{USERNAME}{number}"
    return name
