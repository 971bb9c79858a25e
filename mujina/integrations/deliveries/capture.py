"""Remembering an event for hooks, in its own transaction: one statement, and none if no hook may want it."""

from typing import Final, LiteralString

from mujina.integrations.payloads.snapshots import SNAPSHOTS, Snapshot
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, visited_hooks
from mujina.kernel.jobs import wakeups


def _capture(snapshot: Snapshot) -> dict[str, LiteralString]:
    insert: LiteralString = f"""INSERT INTO hook_events (event_id, visited, snapshot)
            SELECT CAST(:event_id AS bigint), CAST(:visited AS text), {snapshot.text}"""
    notify: LiteralString = f"SELECT pg_notify('{wakeups.HOOK_CHANNEL}', '') FROM captured"
    return {"sqlite": insert, "postgres": f"WITH captured AS ({insert} RETURNING 1) {notify}"}


CAPTURES: Final[dict[str, dict[str, LiteralString]]] = {
    noun: _capture(snapshot) for noun, snapshot in SNAPSHOTS.items()
}


async def capture(tx: Tx, event: Event) -> None:
    """Remember the event and its subject as it is now; hooks get it after the commit."""
    await tx.run(
        CAPTURES[event.subject_kind][tx.engine], event_id=event.id, subject_id=event.subject_id,
        visited="-".join(map(str, visited_hooks.get())),
    )  # fmt: skip
    tx.after_commit(wakeups.notify_deliverers)
