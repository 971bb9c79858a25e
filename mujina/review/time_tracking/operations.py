"""The time estimate of a merge request and the time spent on it. System notes follow from the recorded events."""

from typing import Any

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import durations
from mujina.planning.issues.time_tracking import EXCEEDS_TOTAL, INVALID_FORMAT
from mujina.review.merge_requests import operations as merge_requests
from mujina.review.merge_requests.operations import lock
from mujina.review.merge_requests.rules import MergeRequestRow


async def estimate(tx: Tx, actor: Actor, request: MergeRequestRow, seconds: int) -> None:
    """Set the estimate; 0 removes it."""
    before = await lock(tx, request.id)
    now = await merge_requests.store_times(tx, request.id, {"time_estimate": seconds})
    changes = {"time_estimate": (before.time_estimate, seconds)}
    await _record(tx, actor, request, changes, (before.updated_at, now))


async def spend(tx: Tx, actor: Actor, request: MergeRequestRow, seconds: int, day: str | None = None) -> None:
    """Add to the time spent, or subtract if negative; the total never falls below zero."""
    before = await lock(tx, request.id)
    total = before.total_time_spent + seconds
    if total < 0:
        raise errors.invalid({"time_spent": [EXCEEDS_TOTAL]})
    if total > durations.MAX_SECONDS:
        raise errors.invalid({"time_spent": [INVALID_FORMAT]})
    now = await merge_requests.store_times(tx, request.id, {"total_time_spent": total})
    changes = {"total_time_spent": (before.total_time_spent, total), "time_spent": (day, seconds)}
    await _record(tx, actor, request, changes, (before.updated_at, now))


async def reset_spent(tx: Tx, actor: Actor, request: MergeRequestRow) -> None:
    before = await lock(tx, request.id)
    now = await merge_requests.store_times(tx, request.id, {"total_time_spent": 0})
    await _record(tx, actor, request, {"total_time_spent": (before.total_time_spent, 0)}, (before.updated_at, now))


async def _record(
    tx: Tx, actor: Actor, request: MergeRequestRow, changes: dict[str, Any], updated_at: tuple[str, str]
) -> None:
    if any(old != new for old, new in changes.values()):
        await record(
            tx, "merge_request.updated", actor, subject_id=request.id, project_id=request.project_id,
            changes={**changes, "updated_at": updated_at},
        )  # fmt: skip
