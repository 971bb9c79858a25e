"""SSH keys as they are shown."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.keys.rules import KeyRow
from mujina.accounts.users.entities import FullUser, full
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services


class Key(msgspec.Struct):
    id: int
    title: str
    key: str
    created_at: str
    expires_at: str | UnsetType
    """When it stops opening anything; absent if it never does, unless a newer API version is announced."""


class KeyWithUser(Key):
    """A key with its user; a deploy key has none."""

    user: FullUser | None


def to_key(key: KeyRow) -> Key:
    return to_entity(Key, key, expires_at=key.expires_at or UNSET)


async def with_user(tx: Tx, actor: Actor, key: KeyRow) -> KeyWithUser:
    users = await full(tx, actor, [key.user_id]) if key.user_id is not None else []
    return to_entity(KeyWithUser, to_key(key), user=users[0] if users else None)


async def add_key_fields(_: Services, __: Actor, keys: list[JsonObject]) -> None:
    """In newer API versions, a key that never expires says so."""
    for key in keys:
        key.setdefault("expires_at", None)


async def load_page(tx: Tx, user_id: int, page: Page) -> Paged[Key]:
    """One page of a user's keys, oldest first."""
    selection = Selection("ssh_keys k", "k.user_id = :user_id", user_id=user_id)
    return (await load_rows(tx, KeyRow, selection, ascending("k.id"), page)).map(to_key)
