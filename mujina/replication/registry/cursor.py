"""How far this secondary has applied the log of the primary."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert, insert_each
from mujina.kernel.db.transaction import Tx
from mujina.replication.log.rules import LogRow

GAP_LIFETIME: Final = timedelta(hours=1)
"""No transaction lasts this long: a number that is still missing will never be used."""
MAX_GAPS: Final = 10_000


class CursorRow(Row, alias="c"):
    event_id: int
    event_at: str | None
    contact_at: str
    followed_at: str


async def read_cursor(tx: Tx) -> CursorRow | None:
    """None before this node first copies anything."""
    return await tx.row(CursorRow, f"SELECT {CursorRow.columns} FROM replication_cursor c")


async def start_cursor(tx: Tx, event_id: int, event_at: str | None, missing: Sequence[int]) -> None:
    """Begin after this event; a cursor that is further stays where it is. Numbers before it that are `missing` may follow."""
    await insert(
        tx, "replication_cursor", """ON CONFLICT (id) DO UPDATE SET event_id = excluded.event_id,
            event_at = excluded.event_at WHERE replication_cursor.event_id < excluded.event_id""",
        id=1, event_id=event_id, event_at=event_at, contact_at=clock.now(), followed_at=clock.now(),
    )  # fmt: skip
    await _add_gaps(tx, missing)


async def forget_cursor(tx: Tx) -> None:
    """The log ends before the cursor: the primary was restored from a backup, and uses its numbers again."""
    await tx.run("DELETE FROM replication_cursor")
    await tx.run("DELETE FROM replication_gaps")


async def record_contact(tx: Tx) -> None:
    """The replica is receiving from the primary."""
    await tx.run("UPDATE replication_cursor SET contact_at = :now", now=clock.now())


async def record_followed(tx: Tx) -> None:
    """Everything that the replica has of the log is applied."""
    await tx.run("UPDATE replication_cursor SET followed_at = :now", now=clock.now())


async def read_gaps(tx: Tx) -> list[int]:
    """Numbers before the cursor that were not in the log yet."""
    return await tx.values("SELECT g.event_id FROM replication_gaps g ORDER BY g.event_id")


async def advance(tx: Tx, cursor: CursorRow, batch: Sequence[LogRow]) -> None:
    """The batch was applied. The cursor never moves backwards; numbers that it passes over are looked up again later.

    Two transactions may commit in another order than that of their numbers.
    """
    applied = {row.id for row in batch}
    newest = max((row for row in batch if row.id > cursor.event_id), key=lambda row: row.id, default=None)
    await tx.run("DELETE FROM replication_gaps WHERE event_id IN :ids", ids=sorted(applied))
    await tx.run("DELETE FROM replication_gaps WHERE seen_at < :before", before=clock.later(-GAP_LIFETIME))
    if newest is None:
        return
    missing = [id for id in range(cursor.event_id + 1, newest.id) if id not in applied][-MAX_GAPS:]
    await _add_gaps(tx, missing)
    await tx.run(
        "UPDATE replication_cursor SET event_id = :id, event_at = :at WHERE event_id < :id",
        id=newest.id,
        at=newest.created_at,
    )


async def _add_gaps(tx: Tx, missing: Sequence[int]) -> None:
    gaps = [{"event_id": id, "seen_at": clock.now()} for id in missing]
    await insert_each(tx, "replication_gaps", gaps, "ON CONFLICT DO NOTHING")
