"""What the parts of a pipeline come to: its jobs, and the statuses that other systems report."""

from collections.abc import Set as AbstractSet
from datetime import datetime
from itertools import pairwise
from typing import Annotated, Final

from mujina.kernel.db.rows import Row

FINISHED: Final = ("success", "failed", "canceled", "skipped")
IGNORED: Final = ("failed", "canceled", "manual")
"""The states in which a job that may fail does not count."""

Part = tuple[str, bool]
"""The status of a part, and whether it may fail."""


class PartRow(Row, alias="s"):
    """When a part ran, and what it covered."""

    coverage: float | None
    started_at: str | None
    finished_at: Annotated[str | None, "CASE WHEN s.started_at IS NOT NULL THEN s.finished_at END"]


def combine(parts: AbstractSet[Part]) -> str:
    """The status of a pipeline, or of several stages, whose latest parts have these states. The first rule that fits counts."""
    counted = {status for status, may_fail in parts if not may_fail or status not in IGNORED}
    warned = any(may_fail and status in ("failed", "canceled") for status, may_fail in parts)
    if counted <= {"skipped"}:
        return "success" if warned else "skipped"
    if counted == {"created"}:
        return "created"
    if counted <= {"success", "skipped"}:
        return "success"
    if counted <= {"success", "skipped", "canceled"}:
        return "canceled"
    if counted <= {"created", "skipped", "pending"}:
        return "pending"
    if counted & {"running", "pending"}:
        return "running"
    waiting = next((status for status in ("manual", "scheduled") if status in counted), None)
    return waiting or ("running" if "created" in counted else "failed")


def duration(parts: list[PartRow]) -> int | None:
    """The seconds in which at least one finished part was running; None if none of them ran."""
    spans = sorted(
        (datetime.fromisoformat(part.started_at), datetime.fromisoformat(part.finished_at))
        for part in parts
        if part.started_at and part.finished_at
    )
    if not spans:
        return None
    total, (start, end) = 0.0, spans[0]
    for _, (later, until) in pairwise(spans):
        if later > end:
            total += (end - start).total_seconds()
            start, end = later, until
        end = max(end, until)
    return round(total + (end - start).total_seconds())


def coverage(parts: list[PartRow]) -> str | None:
    """The mean of what the parts report."""
    covered = [part.coverage for part in parts if part.coverage is not None]
    return f"{sum(covered) / len(covered):.2f}" if covered else None
