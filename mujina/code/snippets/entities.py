"""What is shown of a snippet."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.origins import Origin, UserAgentDetail, detail_of
from mujina.kernel.paging import Page, Paged
from mujina.kernel.urls import web


class Snippet(msgspec.Struct):
    id: int
    title: str
    file_name: str
    description: str | None
    visibility: str
    author: UserRef
    updated_at: str
    created_at: str
    project_id: int | None
    web_url: str
    raw_url: str


class _Row(RefRow):
    snippet_id: int
    title: str
    file_name: str
    description: str | None
    visibility: str
    updated_at: str
    created_at: str
    project_id: int | None
    project_path: str | None


_COLUMNS: LiteralString = f"""{REF}, s.id, s.title, s.file_name, s.description, s.visibility, s.updated_at,
    s.created_at, s.project_id, r.path"""
_SOURCE: LiteralString = """snippets s JOIN users u ON u.id = s.author_id
    LEFT JOIN routes r ON r.project_id = s.project_id"""


async def single(tx: Tx, snippet_id: int) -> Snippet:
    """One snippet; it may have been deleted since it was found."""
    shown = await _shown(tx, [snippet_id])
    if not shown:
        raise errors.not_found("Snippet")
    return shown[0]


async def listed(tx: Tx, chosen: Selection, page: Page) -> Paged:
    """One page of snippets, the newest first."""
    ids = await tx.values(
        f"SELECT s.id {chosen.text} ORDER BY s.id DESC LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    return page.of(await _shown(tx, ids), await chosen.total(tx))


async def user_agent_detail(tx: Tx, snippet_id: int) -> UserAgentDetail:
    row = await tx.row(Origin, "SELECT s.user_agent, s.ip_address FROM snippets s WHERE s.id = :id", id=snippet_id)
    return detail_of(row)


async def _shown(tx: Tx, ids: list[int]) -> list[Snippet]:
    rows = await tx.rows(_Row, f"SELECT {_COLUMNS} FROM {_SOURCE} WHERE s.id IN :ids", ids=ids)
    by_id = {row.snippet_id: _snippet(row) for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]


def _snippet(row: _Row) -> Snippet:
    above = f"/{row.project_path}" if row.project_path else ""
    page = web(f"{above}/snippets/{row.snippet_id}")
    return shown(Snippet, row, id=row.snippet_id, author=row.shown(), web_url=page, raw_url=f"{page}/raw")
