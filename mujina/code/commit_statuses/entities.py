"""What is shown of the statuses of commits."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import UserRef, refs
from mujina.code.commit_statuses.params import EXTERNAL, ListStatuses
from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged


class CommitStatus(msgspec.Struct):
    id: int
    sha: str
    ref: str
    status: str
    name: str
    target_url: str | None
    description: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    allow_failure: bool
    coverage: float | None
    author: UserRef | None


class _Row(msgspec.Struct, array_like=True, frozen=True):
    id: int
    sha: str
    ref: str
    state: str
    name: str
    target_url: str | None
    description: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    coverage: float | None
    author_id: int | None


_COLUMNS: LiteralString = """s.id, s.sha, s.ref, s.state, s.name, s.target_url, s.description, s.created_at,
    s.started_at, s.finished_at, s.coverage, s.author_id"""


def of_commit(project_id: int, sha: str, query: ListStatuses) -> Selection:
    """The statuses of a commit that are asked for: those that stand, or every one there was."""
    chosen = Selection(
        "commit_statuses s", "s.project_id = :project_id AND s.sha = :sha", project_id=project_id, sha=sha
    )
    if not query.all:
        chosen.only("NOT s.retried")
    if query.ref:
        chosen.only("s.ref = :ref", ref=query.ref)
    if query.name:
        chosen.only("s.name = :name", name=query.name)
    if query.stage and query.stage != EXTERNAL:
        chosen.only("FALSE")
    return chosen


async def listed(tx: Tx, chosen: Selection, page: Page) -> Paged:
    """One page of statuses, the oldest first."""
    rows = await tx.rows(
        _Row,
        f"SELECT {_COLUMNS} {chosen.text} ORDER BY s.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return page.of(await _shown(tx, rows), await chosen.total(tx))


async def single(tx: Tx, status_id: int) -> CommitStatus:
    row = await tx.row(_Row, f"SELECT {_COLUMNS} FROM commit_statuses s WHERE s.id = :id", id=status_id)
    if row is None:
        raise errors.not_found("Status")
    return (await _shown(tx, [row]))[0]


async def overall(tx: Tx, project_id: int, sha: str) -> str | None:
    """What all the statuses that stand say together; None if nobody said anything."""
    states = set(
        await tx.values(
            """SELECT DISTINCT s.state FROM commit_statuses s
               WHERE s.project_id = :project_id AND s.sha = :sha AND NOT s.retried""",
            project_id=project_id, sha=sha,
        )
    )  # fmt: skip
    match sorted(states):
        case []:
            return None
        case [only]:
            return only
        case ["canceled", "success"]:
            return "canceled"
        case _:
            return "running" if states & {"pending", "running"} else "failed"


async def _shown(tx: Tx, rows: list[_Row]) -> list[CommitStatus]:
    authors = {user.id: user for user in await refs(tx, sorted({row.author_id for row in rows if row.author_id}))}
    return [
        CommitStatus(
            row.id, row.sha, row.ref, row.state, row.name, row.target_url, row.description, row.created_at,
            row.started_at, row.finished_at, False, row.coverage, authors.get(row.author_id or 0),
        )
        for row in rows
    ]  # fmt: skip
