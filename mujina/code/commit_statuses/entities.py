"""Statuses of commits as responses show them."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from mujina.accounts.users.entities import UserRef, refs
from mujina.code.commit_statuses.filters import of_commit
from mujina.code.commit_statuses.params import ListStatuses
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
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
