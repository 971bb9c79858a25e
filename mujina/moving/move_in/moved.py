"""Which objects of a source are here already, and in which state they came."""

from collections.abc import Iterable
from typing import Final

import msgspec

from mujina.kernel.db.rows import insert, insert_each, overwriting
from mujina.kernel.db.transaction import Tx

_OWNERS: Final = {"person": "user_id", "group": "group_id", "project": "project_id"}


class MovedObject(msgspec.Struct, frozen=True, array_like=True):
    """An object that is here."""

    id: int
    fingerprint: str


async def find(tx: Tx, source: str, kind: str, source_id: str | int) -> MovedObject | None:
    """The object that this one of the source became; None if it did not come yet."""
    return await tx.row(
        MovedObject,
        """SELECT mo.object_id, mo.fingerprint FROM moved_objects mo
           WHERE mo.source = :source AND mo.kind = :kind AND mo.source_id = :source_id""",
        source=source,
        kind=kind,
        source_id=str(source_id),
    )


async def find_all(tx: Tx, source: str, kind: str, source_ids: Iterable[str | int]) -> dict[str, MovedObject]:
    """Those of these objects of the source that came, by their ids there.

    They are asked for one by one: until PostgreSQL knows how full the table is, it would look for several among all of their kind.
    """
    found = {str(each): await find(tx, source, kind, each) for each in source_ids}
    return {source_id: known for source_id, known in found.items() if known is not None}


async def count(tx: Tx, source: str, kind: str) -> int:
    """How many objects of this kind came from the source."""
    return await tx.value(
        "SELECT count(*) FROM moved_objects mo WHERE mo.source = :source AND mo.kind = :kind", source=source, kind=kind
    )


async def remember(
    tx: Tx, source: str, kind: str, source_id: str | int, object_id: int, *, fingerprint: str = "",
    project_id: int | None = None, group_id: int | None = None,
) -> None:  # fmt: skip
    """The object came, in this state; later runs find it."""
    owners = {"project_id": project_id, "group_id": group_id, "user_id": None}
    if kind in _OWNERS:
        owners[_OWNERS[kind]] = object_id
    row = {
        "source": source, "kind": kind, "source_id": str(source_id), "object_id": object_id, "fingerprint": fingerprint,
        **owners,
    }  # fmt: skip
    written = overwriting("source, kind, source_id", "object_id, fingerprint, project_id, group_id, user_id")
    await insert_each(tx, "moved_objects", [row], written)


async def raise_iid(tx: Tx, owner_kind: str, owner_id: int, noun: str, iid: int) -> None:
    """The next object of this noun gets a number after this one."""
    await insert(
        tx, "iids", """ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE
            SET last = CASE WHEN iids.last < excluded.last THEN excluded.last ELSE iids.last END""",
        owner_kind=owner_kind, owner_id=owner_id, noun=noun, last=iid,
    )  # fmt: skip
