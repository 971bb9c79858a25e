"""What happens to the time of an issue: estimated, spent, taken back. Notes follow from the record of each change."""

from typing import Any

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.planning.issues import durations
from mujina.planning.issues.operations import LockedIssue, lock
from mujina.planning.issues.rules import IssueRow

UNREADABLE = "has an invalid format"
TOO_MUCH = "Time to subtract exceeds the total time spent"


def read_estimate(text: str) -> int:
    """Seconds, more than none; 400 for anything else."""
    seconds = durations.read(text)
    if seconds is None or seconds < 0:
        raise errors.invalid({"time_estimate": [UNREADABLE]})
    return seconds


def read_spent(text: str) -> int:
    """Seconds, or below zero to take some back; 400 for what is no duration."""
    seconds = durations.read(text)
    if seconds is None:
        raise errors.invalid({"time_spent": [UNREADABLE]})
    return seconds


async def estimate(tx: Tx, actor: Actor, issue: IssueRow, seconds: int) -> None:
    """The work is thought to take so long; 0: nobody knows."""
    before = await lock(tx, issue.id)
    await tx.run(
        "UPDATE issues SET updated_at = :now, time_estimate = :seconds WHERE id = :id",
        id=issue.id, seconds=seconds, now=clock.now(),
    )  # fmt: skip
    await _record(tx, actor, issue, before, {"time_estimate": (before.time_estimate, seconds)})


async def spend(tx: Tx, actor: Actor, issue: IssueRow, seconds: int, day: str | None = None) -> None:
    """So much more was spent, or less when it is below zero; never less than nothing in all."""
    before = await lock(tx, issue.id)
    total = before.total_time_spent + seconds
    if total < 0:
        raise errors.invalid({"time_spent": [TOO_MUCH]})
    if total > durations.LONGEST:
        raise errors.invalid({"time_spent": [UNREADABLE]})
    await _set_spent(tx, issue, total)
    changes = {"total_time_spent": (before.total_time_spent, total), "time_spent": (day, seconds)}
    await _record(tx, actor, issue, before, changes)


async def forget_spent(tx: Tx, actor: Actor, issue: IssueRow) -> None:
    """Nothing was spent."""
    before = await lock(tx, issue.id)
    await _set_spent(tx, issue, 0)
    await _record(tx, actor, issue, before, {"total_time_spent": (before.total_time_spent, 0)})


async def _set_spent(tx: Tx, issue: IssueRow, total: int) -> None:
    await tx.run(
        "UPDATE issues SET updated_at = :now, total_time_spent = :total WHERE id = :id",
        id=issue.id, total=total, now=clock.now(),
    )  # fmt: skip


async def _record(tx: Tx, actor: Actor, issue: IssueRow, before: LockedIssue, changes: dict[str, Any]) -> None:
    if any(old != new for old, new in changes.values()):
        await record(
            tx, "issue.updated", actor, subject_id=issue.id, project_id=issue.project_id,
            confidential=before.confidential, changes=changes,
        )  # fmt: skip
