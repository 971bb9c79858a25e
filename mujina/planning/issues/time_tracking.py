"""The time estimate and the time spent on an issue. System notes follow from the recorded events."""

from typing import Any

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import durations
from mujina.planning.issues.operations import LockedIssue, lock
from mujina.planning.issues.rules import IssueRow

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


async def estimate(tx: Tx, actor: Actor, issue: IssueRow, seconds: int) -> None:
    """Set the estimate; 0 removes it."""
    before = await lock(tx, issue.id)
    await _store(tx, actor, issue, before, {"time_estimate": (before.time_estimate, seconds)})


async def spend(tx: Tx, actor: Actor, issue: IssueRow, seconds: int, day: str | None = None) -> None:
    """Add to the time spent, or subtract if negative; the total never falls below zero."""
    before = await lock(tx, issue.id)
    total = before.total_time_spent + seconds
    if total < 0:
        raise errors.invalid({"time_spent": [EXCEEDS_TOTAL]})
    if total > durations.MAX_SECONDS:
        raise errors.invalid({"time_spent": [INVALID_FORMAT]})
    await _store(
        tx, actor, issue, before, {"total_time_spent": (before.total_time_spent, total)}, time_spent=(day, seconds)
    )


async def reset_spent(tx: Tx, actor: Actor, issue: IssueRow) -> None:
    before = await lock(tx, issue.id)
    await _store(tx, actor, issue, before, {"total_time_spent": (before.total_time_spent, 0)})


async def _store(
    tx: Tx, actor: Actor, issue: IssueRow, before: LockedIssue, columns: dict[str, tuple[int, int]], **details: Any
) -> None:
    """Write the columns, each (old, new), and record them with the details if one of them changes."""
    now = clock.now()
    await update(tx, "issues", {name: new for name, (_, new) in columns.items()} | {"updated_at": now}, id=issue.id)
    changes = {**columns, **details}
    if any(old != new for old, new in changes.values()):
        await record(
            tx, "issue.updated", actor, subject_id=issue.id, project_id=issue.project_id,
            confidential=before.confidential, changes={**changes, "updated_at": (before.updated_at, now)},
        )  # fmt: skip
