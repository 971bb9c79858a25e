"""OpenPGP keys as they are shown."""

import msgspec

from mujina.accounts.gpg_keys.rules import GpgKeyRow
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows


class GpgKey(msgspec.Struct):
    id: int
    key: str
    created_at: str


def to_gpg_key(key: GpgKeyRow) -> GpgKey:
    return to_entity(GpgKey, key)


async def load_page(tx: Tx, user_id: int, page: Page) -> Paged[GpgKey]:
    """One page of a user's keys, oldest first."""
    selection = Selection("gpg_keys k", "k.user_id = :user_id", user_id=user_id)
    return (await load_rows(tx, GpgKeyRow, selection, ascending("k.id"), page)).map(to_gpg_key)


class OwnGpgKeyView(Row, alias="k"):
    """A key on the page of its user."""

    id: int
    fingerprint: str
    addresses: str
    created_at: str


async def own_keys(tx: Tx, user_id: int) -> list[OwnGpgKeyView]:
    """Every key of a user, oldest first."""
    return await tx.rows(
        OwnGpgKeyView,
        f"SELECT {OwnGpgKeyView.columns} FROM gpg_keys k WHERE k.user_id = :user_id ORDER BY k.id",
        user_id=user_id,
    )
