"""SSH keys as they are shown."""

import msgspec

from mujina.accounts.keys.rules import KeyRow
from mujina.accounts.users.entities import FullUser, full
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.paging import Page, Paged


class Key(msgspec.Struct):
    id: int
    title: str
    key: str
    created_at: str


class KeyWithUser(Key):
    """A key with its user; a deploy key has none."""

    user: FullUser | None


def single(key: KeyRow) -> Key:
    return shown(Key, key)


async def with_user(tx: Tx, actor: Actor, key: KeyRow) -> KeyWithUser:
    users = await full(tx, actor, [key.user_id]) if key.user_id is not None else []
    return shown(KeyWithUser, key, user=users[0] if users else None)


async def listed(tx: Tx, user_id: int, page: Page) -> Paged[Key]:
    """One page of a user's keys, oldest first."""
    rows = await tx.rows(
        KeyRow,
        f"""
        SELECT {KeyRow.columns} FROM ssh_keys k
        WHERE k.user_id = :user_id ORDER BY k.id LIMIT :limit OFFSET :offset
        """,
        user_id=user_id,
        **page.bound,
    )
    total = await tx.value("SELECT count(*) FROM ssh_keys k WHERE k.user_id = :user_id", user_id=user_id)
    return page.of([single(row) for row in rows], total)
