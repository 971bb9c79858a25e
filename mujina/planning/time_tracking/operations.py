"""The time estimate of an issue or merge request and the time spent on it. System notes follow from the recorded events."""

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes, record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.time_tracking import durations
from mujina.planning.work_items.kinds import WorkItem, WorkItemKind

INVALID_FORMAT = "has an invalid format"
EXCEEDS_TOTAL = "Time to subtract exceeds the total time spent"


def parse_estimate(text: str) -> int:
    """A positive number of seconds; 400 for anything else."""
    seconds = durations.parse_duration(text)
    if seconds is None or seconds < 0:
        raise errors.invalid({"time_estimate": [INVALID_FORMAT]})
    return seconds


def parse_spent(text: str) -> int:
    """Seconds, negative to subtract; 400 for text that is no duration."""
    seconds = durations.parse_duration(text)
    if seconds is None:
        raise errors.invalid({"time_spent": [INVALID_FORMAT]})
    return seconds


class _TrackedTime(Row, alias="item"):
    """The values before a change."""

    time_estimate: int
    total_time_spent: int
    updated_at: str
    confidential: bool


async def estimate(tx: Tx, actor: Actor, kind: WorkItemKind, item: WorkItem, seconds: int) -> None:
    """Set the estimate; 0 removes it."""
    before = await _lock(tx, kind, item)
    await _store(tx, actor, kind, item, before, {"time_estimate": (before.time_estimate, seconds)})


async def spend(tx: Tx, actor: Actor, kind: WorkItemKind, item: WorkItem, seconds: int, day: str | None = None) -> None:
    """Add to the time spent, or subtract if negative; the total never falls below zero."""
    before = await _lock(tx, kind, item)
    total = before.total_time_spent + seconds
    if total < 0:
        raise errors.invalid({"time_spent": [EXCEEDS_TOTAL]})
    if total > durations.MAX_SECONDS:
        raise errors.invalid({"time_spent": [INVALID_FORMAT]})
    changes = {"total_time_spent": (before.total_time_spent, total), "time_spent": (day, seconds)}
    await _store(tx, actor, kind, item, before, changes)


async def reset_spent(tx: Tx, actor: Actor, kind: WorkItemKind, item: WorkItem) -> None:
    before = await _lock(tx, kind, item)
    await _store(tx, actor, kind, item, before, {"total_time_spent": (before.total_time_spent, 0)})


async def _lock(tx: Tx, kind: WorkItemKind, item: WorkItem) -> _TrackedTime:
    """The current values, locked until the transaction ends; 404 if the row was deleted in the meantime."""
    found = await tx.row(
        _TrackedTime,
        f"""SELECT item.time_estimate, item.total_time_spent, item.updated_at, {kind.confidential}
            FROM {kind.table} item WHERE item.id = :id AND {kind.present} FOR UPDATE""",
        id=item.id,
    )
    return errors.or_not_found(found, kind.noun.title())


async def _store(
    tx: Tx, actor: Actor, kind: WorkItemKind, item: WorkItem, before: _TrackedTime, changes: Changes
) -> None:
    """Write the columns, and record the changes if there are any."""
    now = clock.now()
    _, estimated = changes.get("time_estimate", (None, before.time_estimate))
    _, spent = changes.get("total_time_spent", (None, before.total_time_spent))
    await tx.run(
        f"""UPDATE {kind.table} SET time_estimate = :estimated, total_time_spent = :spent, updated_at = :now
            WHERE id = :id""",
        id=item.id, estimated=estimated, spent=spent, now=now,
    )  # fmt: skip
    if any(old != new for old, new in changes.values()):
        await record(
            tx, f"{kind.name}.updated", actor, subject_id=item.id, project_id=item.project_id,
            confidential=before.confidential, changes={**changes, "updated_at": (before.updated_at, now)},
        )  # fmt: skip
