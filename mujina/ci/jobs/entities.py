"""Jobs as responses show them."""

from datetime import datetime
from typing import Annotated, Final, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.ci.artifacts.entities import ArtifactFile, JobArtifact, JobFiles, load_files
from mujina.ci.runners.entities import CiRunner, to_runner_of_job
from mujina.ci.runners.rules import RunnerRow
from mujina.code.commits import operations as commits
from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.commits.operations import Repository, ResolvedCommit
from mujina.code.pipelines.entities import Pipeline, PipelineView
from mujina.code.pipelines.entities import to_pipeline as shown_pipeline
from mujina.code.pipelines.rules import READ_JOBS
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.kernel import clock
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import web
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow
from mujina.workspaces.projects.views.basics import BasicProject, basic_projects


class PipelineJob(msgspec.Struct, kw_only=True):
    """A job of a pipeline."""

    id: int
    status: str
    stage: str
    name: str
    ref: Annotated[str, "pl.ref"]
    tag: Annotated[bool, "pl.tag"]
    coverage: float | None
    allow_failure: bool
    created_at: str
    started_at: str | None
    finished_at: str | None
    erased_at: str | None
    duration: Computed[float | None]
    queued_duration: Computed[float | None]
    user: UserRef | None
    commit: Computed[Commit | None]
    pipeline: Computed[Pipeline]
    runner: CiRunner | None
    web_url: Computed[str]
    failure_reason: str | None
    tag_list: Computed[list[str]]
    artifacts_file: Computed[ArtifactFile | UnsetType] = UNSET
    artifacts: Computed[list[JobArtifact]]
    artifacts_expire_at: Computed[str | None]


class ExecutedJob(PipelineJob, kw_only=True):
    """A job of a runner, with its project."""

    project: BasicProject


class JobView(Row, alias="j", of=PipelineJob):
    """A job with its runner (`rn`), its user (`u`), and its pipeline (`pl`) in the project at a path (`r`)."""

    id: int
    project_id: int
    started_at: str | None
    finished_at: str | None
    queued_at: str | None
    tags: str
    runner: RunnerRow | None
    user: RefRow | None
    pipeline: PipelineView


class _CodeRow(Row, alias="p"):
    """A project whose repository has the commits of jobs."""

    id: int
    repository_storage: str
    default_branch: str | None


_FROM: LiteralString = """pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id
    JOIN routes r ON r.project_id = j.project_id LEFT JOIN runners rn ON rn.id = j.runner_id
    LEFT JOIN users u ON u.id = j.user_id AND u.deleted_at IS NULL"""


def in_project(project_id: int, scopes: list[str] | None) -> Selection:
    """The jobs of a project in one of these states, or in any."""
    return _scoped(Selection(_FROM, "j.project_id = :project_id", project_id=project_id), scopes)


def in_pipeline(pipeline_id: int, scopes: list[str] | None, *, retried: bool) -> Selection:
    """The jobs of a pipeline; with those that were retried, or without."""
    selection = Selection(_FROM, "j.pipeline_id = :pipeline_id", pipeline_id=pipeline_id)
    return _scoped(selection if retried else selection.where("NOT j.retried"), scopes)


def of_runner(runner_id: int, status: str | None, actor: Actor) -> Selection:
    """The jobs that a runner executed, in the projects whose jobs the actor may read."""
    selection = Selection(_FROM, "j.runner_id = :runner_id", runner_id=runner_id)
    readable = Sql(
        f"j.project_id IN (SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND {READ_JOBS.for_scan})",
        **actor.bound,
    )
    return _scoped(selection.where(readable), [status] if status else None)


def _scoped(selection: Selection, scopes: list[str] | None) -> Selection:
    return selection.where(Sql("j.status IN :scopes", scopes=scopes)) if scopes else selection


async def readable_code(services: Services, actor: Actor, project: ProjectRow) -> Repository | None:
    """The repository whose commits jobs show; None for those who may read its jobs and not its code."""
    async with services.database.reading() as tx:
        readable = await tx.value(
            f"SELECT {READ_CODE.standalone} FROM projects p WHERE p.id = :id", id=project.id, **actor.bound
        )
    return await commits.code_of(services, project) if readable else None


OLDEST_FIRST: Final = ascending("j.id")
NEWEST_FIRST: Final = OLDEST_FIRST.reversed


async def load_page(tx: Tx, code: Repository | None, selection: Selection, page: Page) -> Paged[PipelineJob]:
    """One page of jobs, the newest first."""
    rows = await load_rows(tx, JobView, selection, NEWEST_FIRST, page)
    known = _commits(code, {row.pipeline.sha: row.pipeline.full_path for row in rows.items})
    files = await load_files(tx, [row.id for row in rows.items])
    return rows.map(lambda row: _to_entity(row, known, files[row.id]))


async def load_executed_page(
    services: Services, actor: Actor, selection: Selection, direction: str, page: Page
) -> Paged[ExecutedJob]:
    """One page of the jobs of a runner, in the direction of their ids."""
    async with services.database.reading() as tx:
        rows = await load_rows(tx, JobView, selection, OLDEST_FIRST.directed(direction), page)
        files = await load_files(tx, [row.id for row in rows.items])
        ids = sorted({row.project_id for row in rows.items})
        projects = await basic_projects(tx, actor, ids)
        codes = await tx.rows(
            _CodeRow,
            f"SELECT {_CodeRow.columns} FROM projects p WHERE p.id IN :ids AND {READ_CODE.for_scan}",
            ids=ids,
            **actor.bound,
        )
    known: dict[str, Commit] = {}
    for each in codes:
        repo_path = await repo_path_to_read(services, each.repository_storage, each.id)
        code = Repository(repo_path, each.default_branch)
        known |= _commits(
            code, {row.pipeline.sha: row.pipeline.full_path for row in rows.items if row.project_id == each.id}
        )
    return rows.map(
        lambda row: ExecutedJob(
            **msgspec.structs.asdict(_to_entity(row, known, files[row.id])), project=projects[row.project_id]
        )
    )


async def load_shown(services: Services, actor: Actor, project: ProjectRow, job_id: int) -> PipelineJob:
    """The job, which exists, with its commit for those who may read the code."""
    code = await readable_code(services, actor, project)
    async with services.database.reading() as tx:
        return await load_one(tx, code, job_id)


async def load_one(tx: Tx, code: Repository | None, job_id: int) -> PipelineJob:
    """The job, which exists."""
    return (await load_many(tx, code, [job_id]))[job_id]


async def load_many(tx: Tx, code: Repository | None, ids: list[int]) -> dict[int, PipelineJob]:
    """Those of these jobs that exist, by id."""
    rows = await tx.rows(JobView, f"SELECT {JobView.columns} FROM {_FROM} WHERE j.id IN :ids", ids=ids)
    files = await load_files(tx, [row.id for row in rows])
    known = _commits(code, {row.pipeline.sha: row.pipeline.full_path for row in rows})
    return {row.id: _to_entity(row, known, files[row.id]) for row in rows}


def _commits(code: Repository | None, paths: dict[str, str]) -> dict[str, Commit]:
    """The commits that exist, by id; none without a repository."""
    if code is None:
        return {}
    return {
        sha: shown_commit(commits.show(ResolvedCommit(code, sha, sha)), path)
        for sha, path in paths.items()
        if commits.exists(code, sha)
    }


def _to_entity(row: JobView, known: dict[str, Commit], files: JobFiles) -> PipelineJob:
    return to_entity(
        PipelineJob, row, user=row.user and row.user.shown(), runner=row.runner and to_runner_of_job(row.runner),
        pipeline=shown_pipeline(row.pipeline),
        commit=known.get(row.pipeline.sha), duration=_seconds(row.started_at, row.finished_at),
        queued_duration=_seconds(row.queued_at, row.started_at or row.finished_at),
        tag_list=msgspec.json.decode(row.tags, type=list[str]),
        web_url=web(f"/{row.pipeline.full_path}/-/jobs/{row.id}"), artifacts_file=files.archive or UNSET,
        artifacts=files.artifacts, artifacts_expire_at=files.expire_at,
    )  # fmt: skip


def _seconds(start: str | None, end: str | None) -> float | None:
    """The seconds between the two, or since the first; None if it has not come."""
    if start is None:
        return None
    return (datetime.fromisoformat(end or clock.now()) - datetime.fromisoformat(start)).total_seconds()
