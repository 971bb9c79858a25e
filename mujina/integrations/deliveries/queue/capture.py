"""Remembering an event for hooks, in its own transaction: one statement, and none if no hook may want it."""

from time import monotonic
from typing import Final, LiteralString

from mujina.integrations.payloads.snapshots import SNAPSHOTS, Snapshot
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, visited_hooks
from mujina.kernel.jobs import wakeups

NOTICE_SECONDS: Final = 0.05


def _capture(snapshot: Snapshot) -> dict[str, LiteralString]:
    insert: LiteralString = f"""INSERT INTO hook_events (event_id, visited, snapshot)
            SELECT CAST(:event_id AS bigint), CAST(:visited AS text), {snapshot.text}"""
    notify: LiteralString = (
        f"SELECT pg_notify('{wakeups.HOOK_CHANNEL}', '') FROM captured WHERE CAST(:notify AS boolean)"
    )
    return {"sqlite": insert, "postgres": f"WITH captured AS ({insert} RETURNING 1) {notify}"}


CAPTURES: Final[dict[str, dict[str, LiteralString]]] = {
    noun: _capture(snapshot) for noun, snapshot in SNAPSHOTS.items()
}


class _Notices:
    """Other processes are notified a few times a second, not of each event: what builds payloads looks again soon after."""

    def __init__(self) -> None:
        self._last = 0.0

    def is_due(self) -> bool:
        now = monotonic()
        if now - self._last < NOTICE_SECONDS:
            return False
        self._last = now
        return True


_notices = _Notices()


async def capture(tx: Tx, event: Event) -> None:
    """Remember the event and its subject as it is now; hooks get it after the commit."""
    notify = {"notify": _notices.is_due()} if tx.engine == "postgres" else {}
    await tx.run(
        CAPTURES[event.subject_kind][tx.engine], event_id=event.id, subject_id=event.subject_id,
        visited="-".join(map(str, visited_hooks.get())), **notify,
    )  # fmt: skip
    tx.after_commit(wakeups.notify_deliverers)
