"""Statuses of commits as responses show them."""

from collections.abc import Sequence
from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.entities import UserRef, refs
from mujina.code.commit_statuses.params import EXTERNAL, ListStatuses
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.kernel.lists.pages import load_rows


class CommitStatus(msgspec.Struct):
    id: int
    sha: str
    ref: str
    status: Annotated[str, "s.state"]
    name: str
    target_url: str | None
    description: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    allow_failure: Computed[bool]
    coverage: float | None
    pipeline_id: int
    author: UserRef | None


class CommitStatusView(Row, alias="s", of=CommitStatus):
    name: str
    status: Annotated[str, "s.state"]
    author_id: int | None


class ListedStatus(CommitStatusView):
    """A status of another system, or a job."""

    allow_failure: bool


_OF_COMMIT: LiteralString = f"""(
    SELECT s.id, s.sha, s.ref, s.name, s.state, s.target_url, s.description, s.created_at, s.started_at, s.finished_at,
        s.coverage, s.pipeline_id, s.author_id, s.retried, '{EXTERNAL}' AS stage, FALSE AS allow_failure
    FROM commit_statuses s WHERE s.project_id = :project_id AND s.sha = :sha
    UNION ALL
    SELECT j.id, pl.sha, pl.ref, j.name, j.status, NULL, NULL, j.created_at, j.started_at, j.finished_at,
        j.coverage, j.pipeline_id, j.user_id, j.retried, j.stage, j.allow_failure
    FROM pipelines pl JOIN pipeline_jobs j ON j.pipeline_id = pl.id
    WHERE pl.project_id = :project_id AND pl.sha = :sha) s"""


def of_commit(project_id: int, sha: str, query: ListStatuses) -> Selection:
    """The statuses and jobs of a commit that match the query: the latest of each name, or all."""
    selection = Selection(_OF_COMMIT, "TRUE", project_id=project_id, sha=sha)
    if not query.all:
        selection = selection.where("NOT s.retried")
    return apply_filters(selection, query, _FILTERS)


_FILTERS: Filters = {"ref": compared("s.ref"), "name": compared("s.name"), "stage": compared("s.stage")}


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[CommitStatus]:
    """One page of statuses, oldest first."""
    rows = await load_rows(tx, ListedStatus, selection, ascending("s.created_at", "s.id"), page)
    return rows.with_items(await _with_authors(tx, rows.items))


async def newest_of_each(tx: Tx, project_id: int, sha: str, limit: int) -> list[CommitStatusView]:
    """The latest status of each name, without authors: one statement."""
    selection = of_commit(project_id, sha, ListStatuses())
    return await tx.rows(
        CommitStatusView,
        f"SELECT {CommitStatusView.columns} {selection.text} ORDER BY s.created_at, s.id LIMIT :limit",
        limit=limit,
        **selection.bound,
    )


async def load_one(tx: Tx, status_id: int) -> CommitStatus:
    selection = Selection("commit_statuses s", "s.id = :id", id=status_id)
    return (await _with_authors(tx, [await find_row(tx, CommitStatusView, selection, "Status")]))[0]


async def _with_authors(tx: Tx, rows: Sequence[CommitStatusView]) -> list[CommitStatus]:
    authors = {user.id: user for user in await refs(tx, sorted({row.author_id for row in rows if row.author_id}))}
    return [
        to_entity(
            CommitStatus,
            row,
            author=authors.get(row.author_id or 0),
            allow_failure=isinstance(row, ListedStatus) and row.allow_failure,
        )
        for row in rows
    ]
