"""Pipelines as pages show them: with their stages, the jobs of each, and what these wait for."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from mujina.ci.jobs.states import verb_for
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo, Repository, ResolvedCommit
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import FullPipeline
from mujina.code.pipelines.statuses import Part, combine
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor

EXTERNAL: Final = "external"
"""The stage of what other systems report, after all others."""
MAX_DRAWN: Final = 300
"""Jobs of a pipeline that are drawn by their needs; larger ones are lists alone."""
_COLUMN, _LINE, _WIDTH, _HEIGHT = 240, 44, 190, 32


class ShownStage(msgspec.Struct, frozen=True):
    """A stage, and what its jobs come to."""

    name: str
    status: str


class ShownPipeline(msgspec.Struct, frozen=True):
    """A row of a list of pipelines."""

    pipeline: FullPipeline
    stages: list[ShownStage]


class StageJob(Row, alias="j"):
    """A job in its stage."""

    id: int
    name: str
    stage: str
    stage_index: int
    status: str
    allow_failure: bool
    needs: str | None
    failure_reason: str | None

    @property
    def needed(self) -> list[str]:
        """The names of the jobs that it waits for, if the CI file says so."""
        return [] if self.needs is None else msgspec.json.decode(self.needs, type=list[str])

    @property
    def verb(self) -> str:
        return verb_for(self.status)


class ExternalStatus(Row, alias="s"):
    """What another system reports about a pipeline."""

    name: str
    state: str
    target_url: str | None
    description: str | None


class PipelineGraph(msgspec.Struct, frozen=True):
    """The latest jobs of a pipeline by stage, in the order in which they run."""

    stages: list[tuple[ShownStage, list[StageJob]]]
    external: list[ExternalStatus]

    @property
    def jobs(self) -> list[StageJob]:
        return [job for _, jobs in self.stages for job in jobs]

    @property
    def cancelable(self) -> bool:
        return any(job.verb == "cancel" for job in self.jobs)

    @property
    def retryable(self) -> bool:
        return any(job.status in ("failed", "canceled") for job in self.jobs)

    @property
    def has_needs(self) -> bool:
        return any(job.needs is not None for job in self.jobs)


class DrawnJob(msgspec.Struct, frozen=True):
    """A job with the place of its box."""

    job: StageJob
    x: int
    y: int


class Drawing(msgspec.Struct, frozen=True):
    """Boxes for the jobs, and lines from each to those that need it."""

    boxes: list[DrawnJob]
    lines: list[str]
    """Paths of SVG."""
    width: int
    height: int


async def read_pipelines(tx: Tx, actor: Actor, selection: Selection, page: Page) -> Paged[ShownPipeline]:
    """One page of pipelines with their stages, newest first: four statements."""
    found = await pipelines.load_page(tx, selection, page)
    ids = [pipeline.id for pipeline in found.items]
    full, stages = await pipelines.full_of(tx, actor, ids), await _read_stages(tx, ids)
    return found.with_items([ShownPipeline(full[id_], stages[id_]) for id_ in ids if id_ in full])


async def _read_stages(tx: Tx, pipeline_ids: Sequence[int]) -> defaultdict[int, list[ShownStage]]:
    rows = await tx.rows(
        tuple[int, int, str, str, bool],
        """SELECT j.pipeline_id, j.stage_index, j.stage, j.status, j.allow_failure FROM pipeline_jobs j
           WHERE j.pipeline_id IN :ids AND NOT j.retried
           UNION SELECT s.pipeline_id, 1000000, :external, s.state, FALSE FROM commit_statuses s
           WHERE s.pipeline_id IN :ids AND NOT s.retried ORDER BY 1, 2""",
        ids=list(pipeline_ids),
        external=EXTERNAL,
    )
    parts: defaultdict[tuple[int, int, str], set[Part]] = defaultdict(set)
    for pipeline_id, index, stage, status, may_fail in rows:
        parts[pipeline_id, index, stage].add((status, may_fail))
    stages: defaultdict[int, list[ShownStage]] = defaultdict(list)
    for (pipeline_id, _, stage), found in parts.items():
        stages[pipeline_id].append(ShownStage(stage, combine(found)))
    return stages


async def read_graph(tx: Tx, pipeline_id: int, *, jobs: bool) -> PipelineGraph:
    """The latest jobs of the pipeline, and what other systems report; without `jobs`, only the latter."""
    rows = await tx.rows(
        StageJob,
        f"""SELECT {StageJob.columns} FROM pipeline_jobs j WHERE j.pipeline_id = :id AND NOT j.retried
            ORDER BY j.stage_index, j.name, j.id""",
        id=pipeline_id,
    ) if jobs else []  # fmt: skip
    external = await tx.rows(
        ExternalStatus,
        f"""SELECT {ExternalStatus.columns} FROM commit_statuses s WHERE s.pipeline_id = :id AND NOT s.retried
            ORDER BY s.name""",
        id=pipeline_id,
    )
    by_stage: defaultdict[tuple[int, str], list[StageJob]] = defaultdict(list)
    for job in rows:
        by_stage[job.stage_index, job.stage].append(job)
    stages = [
        (ShownStage(name, combine({(job.status, job.allow_failure) for job in members})), members)
        for (_, name), members in by_stage.items()
    ]
    return PipelineGraph(stages, external)


def draw(graph: PipelineGraph) -> Drawing | None:
    """The jobs from left to right, each behind those that it needs; None if there are too many."""
    if len(graph.jobs) > MAX_DRAWN:
        return None
    columns = _columns(graph)
    filled: defaultdict[int, int] = defaultdict(int)
    boxes: dict[str, DrawnJob] = {}
    for job in graph.jobs:
        column = columns[job.name]
        boxes[job.name] = DrawnJob(job, column * _COLUMN, filled[column] * _LINE)
        filled[column] += 1
    lines = [_line(boxes[name], box) for box in boxes.values() for name in box.job.needed if name in boxes]
    width = max(columns.values(), default=0) * _COLUMN + _WIDTH
    return Drawing(list(boxes.values()), lines, width, max(filled.values(), default=1) * _LINE)


def _columns(graph: PipelineGraph) -> dict[str, int]:
    """How many columns stand before each job: a job without `needs` comes after all earlier stages."""
    columns: dict[str, int] = {}
    before = -1
    for _, jobs in graph.stages:
        waiting = list(jobs)
        while waiting:  # jobs of a stage may need each other, in any order
            ready = [job for job in waiting if not set(job.needed) & {other.name for other in waiting}]
            for job in ready or waiting:
                needed = [columns.get(name, 0) for name in job.needed]
                columns[job.name] = before + 1 if job.needs is None else max(needed, default=-1) + 1
            waiting = [job for job in waiting if job.name not in columns]
        before = max(columns.values(), default=-1)
    return columns


def _line(start: DrawnJob, end: DrawnJob) -> str:
    x, y = start.x + _WIDTH, start.y + _HEIGHT // 2
    to_x, to_y = end.x, end.y + _HEIGHT // 2
    middle = (x + to_x) // 2
    return f"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}"


def known_commits(code: Repository, ids: Iterable[str]) -> dict[str, CommitInfo]:
    """Those of the commits that exist."""
    return {id_: commits.show(ResolvedCommit(code, id_, id_)) for id_ in set(ids) if commits.exists(code, id_)}
