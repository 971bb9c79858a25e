"""The state of PostgreSQL's own streaming replication."""

from typing import NamedTuple

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx


class Replica(NamedTuple):
    """The state of a server that may be a replica."""

    in_recovery: bool
    """Whether it is a replica."""
    receiving: bool
    """Whether it is connected to the primary."""
    caught_up: bool
    """Whether it has replayed all that it received."""
    replayed_at: str | None
    """When the last transaction that it replayed was committed."""


async def read_replica(tx: Tx) -> Replica:
    row = await tx.row(
        tuple[bool, bool, bool, float | None],
        """
        SELECT pg_is_in_recovery(),
            EXISTS (SELECT 1 FROM pg_stat_wal_receiver w WHERE w.pid IS NOT NULL AND coalesce(w.status, 'streaming') = 'streaming'),
            pg_is_in_recovery() AND coalesce(pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn(), FALSE),
            CAST(extract(epoch FROM pg_last_xact_replay_timestamp()) AS double precision)
        """,
    )
    in_recovery, receiving, caught_up, replayed = row or (False, False, False, None)
    return Replica(in_recovery, receiving, caught_up, None if replayed is None else clock.from_seconds(replayed))


async def system_identifier(tx: Tx) -> str:
    """A number that a server and its replicas share, and no other server has."""
    return await tx.value("SELECT CAST(system_identifier AS text) FROM pg_control_system()")


async def log_position(tx: Tx) -> str:
    """The end of the write-ahead log of a primary. A replica that has replayed it has everything that was committed before."""
    return await tx.value("SELECT CAST(pg_current_wal_insert_lsn() AS text)")


async def has_replayed(tx: Tx, position: str) -> bool:
    """Whether this replica has replayed the log up to this position; a server that is no replica has."""
    return await tx.value(
        "SELECT coalesce(pg_last_wal_replay_lsn() >= CAST(CAST(:position AS text) AS pg_lsn), TRUE)", position=position
    )


async def promote(tx: Tx, seconds: int) -> bool:
    """Make this replica a primary; whether it became one in this time."""
    return await tx.value("SELECT pg_promote(TRUE, CAST(:seconds AS integer))", seconds=seconds)
