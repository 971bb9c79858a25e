"""Pipelines as responses show them."""

from collections.abc import Sequence
from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel import clock
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Order, Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.workspaces.projects.rules import READ_CODE

INVALID_FILE: LiteralString = "The CI file is invalid"
"""What users learn who may not read the code: the complaints quote the file."""


class Pipeline(msgspec.Struct, kw_only=True):
    """A pipeline in lists and as part of a commit or a merge request."""

    id: int
    iid: int
    project_id: int
    sha: str
    ref: str
    status: str
    source: str
    created_at: str
    updated_at: str
    web_url: Computed[str]
    name: str | None


class DetailedStatus(msgspec.Struct, kw_only=True):
    """The status of a pipeline as people read it."""

    icon: str
    text: str
    label: str
    group: str
    tooltip: str
    has_details: bool
    details_path: str


class FullPipeline(Pipeline, kw_only=True):
    """A pipeline with everything that is known of it."""

    before_sha: Computed[str]
    tag: bool
    yaml_errors: str | None
    user: UserRef | None
    started_at: str | None
    finished_at: str | None
    committed_at: None
    duration: int | None
    queued_duration: Computed[int | None]
    coverage: str | None
    detailed_status: Computed[DetailedStatus]


class PipelineView(Row, alias="pl", of=Pipeline):
    """A pipeline with the path of its project (`r`)."""

    id: int
    sha: str
    status: str
    full_path: Annotated[str, "r.path"]

    @property
    def web_url(self) -> str:
        return web(f"/{self.full_path}/pipelines/{self.id}")


class FullPipelineView(PipelineView, of=FullPipeline):
    """A pipeline with the user (`u`) who started it."""

    before_sha: str | None
    created_at: str
    started_at: str | None
    yaml_errors: Annotated[
        str | None,
        f"CASE WHEN pl.yaml_errors IS NULL OR {READ_CODE.standalone} THEN pl.yaml_errors ELSE '{INVALID_FILE}' END",
    ]
    user: RefRow | None


FROM: LiteralString = """pipelines pl JOIN routes r ON r.project_id = pl.project_id
    JOIN projects p ON p.id = pl.project_id AND p.deleted_at IS NULL"""
_READABLE: LiteralString = READ_PIPELINES.standalone


async def newest_statuses(tx: Tx, project_id: int, shas: list[str]) -> dict[str, tuple[int, str]]:
    """The ids and statuses of the newest pipelines of these commits; access is not checked."""
    rows = await tx.rows(
        tuple[str, int, str],
        """SELECT pl.sha, pl.id, pl.status FROM pipelines pl WHERE pl.project_id = :project_id AND pl.sha IN :shas
           ORDER BY pl.id""",
        project_id=project_id,
        shas=shas,
    )
    return {sha: (pipeline_id, status) for sha, pipeline_id, status in rows}


async def newest(tx: Tx, project_id: int, sha: str) -> Pipeline | None:
    """The newest pipeline of a commit, or None; access is not checked."""
    row = await tx.row(
        PipelineView,
        f"""SELECT {PipelineView.columns} FROM {FROM} WHERE pl.project_id = :project_id AND pl.sha = :sha
            ORDER BY pl.id DESC LIMIT 1""",
        project_id=project_id,
        sha=sha,
    )
    return None if row is None else to_pipeline(row)


async def full(tx: Tx, actor: Actor, pipeline_id: int) -> FullPipeline | None:
    """The pipeline, if the actor may read it."""
    return (await full_of(tx, actor, [pipeline_id])).get(pipeline_id)


async def full_of(tx: Tx, actor: Actor, ids: Sequence[int]) -> dict[int, FullPipeline]:
    """Returns those pipelines that the actor may read."""
    if not ids:
        return {}
    rows = await tx.rows(
        FullPipelineView,
        f"""SELECT {FullPipelineView.columns} FROM {FROM}
            LEFT JOIN users u ON u.id = pl.user_id AND u.deleted_at IS NULL WHERE pl.id IN :ids AND {_READABLE}""",
        ids=list(ids),
        **actor.bound,
    )
    return {row.id: _shown_fully(row) for row in rows}


def _shown_fully(row: FullPipelineView) -> FullPipeline:
    queued = None if row.started_at is None else clock.seconds(row.started_at) - clock.seconds(row.created_at)
    return to_entity(
        FullPipeline, row, web_url=row.web_url, before_sha=row.before_sha or "0" * 40,
        user=row.user and row.user.shown(), committed_at=None, queued_duration=queued, detailed_status=_detailed(row),
    )  # fmt: skip


def _detailed(row: FullPipelineView) -> DetailedStatus:
    return DetailedStatus(
        icon=f"status_{row.status}", text=row.status, label=row.status, group=row.status, tooltip=row.status,
        has_details=True, details_path=f"/{row.full_path}/pipelines/{row.id}",
    )  # fmt: skip


def basic(pipeline: FullPipeline) -> Pipeline:
    """The part of a pipeline that lists show."""
    return Pipeline(**{name: getattr(pipeline, name) for name in Pipeline.__struct_fields__})


def in_project(project_id: int) -> Selection:
    """The pipelines of a project; access is not checked."""
    return Selection(FROM, "pl.project_id = :project_id", project_id=project_id)


def on_branch(actor: Actor, project_id: int, branch: str, shas: list[str]) -> Selection:
    """The pipelines of these commits on the branch that the actor may read."""
    return Selection(
        FROM,
        f"pl.project_id = :project_id AND pl.ref = :ref AND NOT pl.tag AND pl.sha IN :shas AND {_READABLE}",
        project_id=project_id, ref=branch, shas=shas, **actor.bound,
    )  # fmt: skip


async def load_page(tx: Tx, selection: Selection, page: Page, order: Order = descending("pl.id")) -> Paged[Pipeline]:
    """One page of pipelines, by default the newest first."""
    return (await load_rows(tx, PipelineView, selection, order, page)).map(to_pipeline)


def to_pipeline(row: PipelineView) -> Pipeline:
    """The pipeline as lists show it."""
    return to_entity(Pipeline, row, web_url=row.web_url)
