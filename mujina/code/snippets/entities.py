"""Snippets as responses show them."""

from typing import Annotated, LiteralString
from urllib.parse import quote

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.code.snippets.files import FIRST_PATH, FURTHER
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.requests.origins import Origin, UserAgentDetail, detail_of
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.urls import web


class ListedFile(msgspec.Struct):
    """A file of a snippet, which has one or several."""

    path: str
    raw_url: str


class Snippet(msgspec.Struct):
    id: int
    title: str
    file_name: str
    description: str | None
    # Compat: `visibility`, and `raw_url` of project snippets, are younger than the specification; today's clients
    # require them.
    visibility: str
    author: UserRef
    updated_at: str
    created_at: str
    project_id: int | None
    web_url: Computed[str]
    raw_url: Computed[str]
    files: Computed[list[ListedFile]]


class SnippetView(Row, alias="s", of=Snippet):
    """The columns from which a snippet is shown, its author (`u`) and project's path (`r`) included."""

    id: int
    file_name: str
    author: RefRow
    project_path: Annotated[str | None, "r.path"]
    further: Annotated[str | None, FURTHER]


JOINED: LiteralString = """snippets s JOIN users u ON u.id = s.author_id
    LEFT JOIN routes r ON r.project_id = s.project_id"""


async def load_one(tx: Tx, snippet_id: int) -> Snippet:
    """One snippet; 404 if it was deleted since it was found."""
    return _snippet(await find_row(tx, SnippetView, Selection(JOINED, "s.id = :id", id=snippet_id), "Snippet"))


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[Snippet]:
    """One page of snippets, newest first."""
    return (await load_joined(tx, SnippetView, JOINED, "s.id", selection, descending("s.id"), page)).map(_snippet)


async def user_agent_detail(tx: Tx, snippet_id: int) -> UserAgentDetail:
    row = await tx.row(Origin, "SELECT s.user_agent, s.ip_address FROM snippets s WHERE s.id = :id", id=snippet_id)
    return detail_of(row)


def _snippet(row: SnippetView) -> Snippet:
    parent = f"/{row.project_path}" if row.project_path else ""
    page = web(f"{parent}/snippets/{row.id}")
    paths = [row.file_name or FIRST_PATH, *(_read_paths(row.further) if row.further else ())]
    files = [ListedFile(path, f"{page}/raw?file={quote(path, safe='')}") for path in paths]
    return to_entity(Snippet, row, author=row.author.shown(), web_url=page, raw_url=f"{page}/raw", files=files)


_read_paths = msgspec.json.Decoder(list[str]).decode
