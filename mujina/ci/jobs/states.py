"""The states of jobs, and which of them a pipeline starts next: pure functions."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

import msgspec

from mujina.code.pipelines.statuses import FINISHED, Part, combine
from mujina.kernel.db.rows import Row

CANCELABLE: Final = ("created", "scheduled", "manual", "pending", "running")
RETRYABLE: Final = ("success", "failed", "canceled")
PLAYABLE: Final = ("manual", "scheduled")
FAILURE_REASONS: Final = (
    "unknown_failure", "script_failure", "api_failure", "stuck_or_timeout_failure", "runner_system_failure",
    "missing_dependency_failure", "trace_size_exceeded", "job_execution_timeout", "runner_unsupported",
)  # fmt: skip

_STARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "on_success": ("success", "skipped"),
    "manual": ("success", "skipped"),
    "delayed": ("success", "skipped"),
    "on_failure": ("failed",),
    "always": ("success", "failed", "skipped"),
}
"""What everything before a job has to come to, so that the job is not skipped."""
_BEGINS_AS: Final = {"manual": "manual", "delayed": "scheduled"}


class JobState(Row, alias="j"):
    """Everything of a job that decides when it starts."""

    id: int
    name: str
    stage_index: int
    status: str
    run_when: str
    allow_failure: bool
    needs: str | None = None
    """The names of the jobs it waits for, as JSON; None: all jobs of earlier stages."""
    start_in: int | None = None

    @property
    def part(self) -> Part:
        return self.status, self.allow_failure


Needs = Mapping[str, Sequence[str]]
"""The names that each JSON text has: instances of a parallel job share one, and it may be long."""


def advance(jobs: Sequence[JobState]) -> dict[int, str]:
    """The new status of each created job whose turn it is, by id. `jobs` are the latest of a pipeline, in any order.

    Skipping a job may be what a later one waits for: the result is where nothing moves any more.
    """
    needs: Needs = {
        text: msgspec.json.decode(text, type=list[str])
        for text in dict.fromkeys(job.needs for job in jobs)
        if text is not None
    }
    ranks = _ranks(jobs, needs)
    ordered = sorted(jobs, key=lambda job: (job.stage_index, ranks.get(job.needs, 0), job.id))
    states = {job.name: job for job in ordered}
    moved: dict[int, str] = {}
    while step := _advance_once(ordered, states, needs):
        moved |= step
        ordered = [states[job.name] for job in ordered]
    return moved


def _ranks(jobs: Sequence[JobState], needs: Needs) -> dict[str | None, int]:
    """Numbers by which each job comes after those that it needs: then one pass decides about a chain of any length."""
    texts = {job.name: job.needs for job in jobs}
    graph = {text: {texts[name] for name in names if name in texts} for text, names in needs.items()}
    try:
        return {text: rank for rank, text in enumerate(TopologicalSorter(graph).static_order())}
    except CycleError:
        return {}


def _advance_once(ordered: Sequence[JobState], states: dict[str, JobState], needs: Needs) -> dict[int, str]:
    """One pass over the stages; a job sees what the pass did to the jobs before it."""
    moved: dict[int, str] = {}
    before: set[Part] = set()
    same_stage: set[Part] = set()
    index: int | None = None
    prior = "success"
    for job in ordered:
        if job.stage_index != index:
            before |= same_stage
            index, same_stage = job.stage_index, set()
            prior = combine(before) if before else "success"
        status = job.status
        if status == "created":
            outcome = prior if job.needs is None else _outcome(needs[job.needs], states)
            status = _next_status(job, outcome) if outcome in FINISHED else status
            if status != job.status:
                moved[job.id] = status
                states[job.name] = msgspec.structs.replace(job, status=status)
        same_stage.add((status, job.allow_failure))
    return moved


def _outcome(names: Sequence[str], states: dict[str, JobState]) -> str | None:
    """What the jobs that a job needs came to; None while one of them is not finished. One that was skipped counts."""
    if any(states[name].status not in FINISHED for name in names if name in states):
        return None
    needed = {states[name].part for name in names if name in states}
    if any(status == "skipped" for status, _ in needed):
        return "skipped"
    return combine(needed) if needed else "success"


def _next_status(job: JobState, outcome: str) -> str:
    starts = _STARTS.get(job.run_when, _STARTS["on_success"])
    if outcome not in starts or (job.needs is not None and outcome == "skipped" and job.run_when != "always"):
        return "skipped"
    return _BEGINS_AS.get(job.run_when, "pending")


def verb_for(status: str) -> str:
    """What a person can do with a job of this status: play, cancel or retry it; empty: nothing."""
    if status in PLAYABLE:
        return "play"
    return "cancel" if status in CANCELABLE else "retry" if status in RETRYABLE else ""


def may_start(parts: Sequence[tuple[int, str, bool]]) -> bool:
    """Whether a created job may have its turn, by the stage, status and tolerance of each part; needs are not considered."""
    before: set[Part] = set()
    for index in sorted({stage for stage, _, _ in parts}):
        stage = {(status, may_fail) for at, status, may_fail in parts if at == index}
        if any(status == "created" for status, _ in stage) and (not before or combine(before) in FINISHED):
            return True
        before |= stage
    return False
