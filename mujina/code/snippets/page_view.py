"""A snippet as its page shows it."""

import hashlib

import msgspec

from mujina.code.snippets import entities
from mujina.code.snippets.entities import Snippet
from mujina.code.snippets.files import SnippetFile, find_file
from mujina.code.snippets.rules import FoundSnippet
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.services import Services
from mujina.kernel.storage.files import SANDBOX
from mujina.rendering.code import highlighting
from mujina.rendering.code.code_rows import part_of
from mujina.rendering.html import Html


class SnippetOnPage(msgspec.Struct, frozen=True):
    snippet: Snippet
    path: str
    """That of the file on this page; a snippet has one or several."""
    description: Html
    part: Paged[str]
    """The lines of its code on this page."""
    size: int
    editable: bool


async def read_snippet(
    services: Services, tx: Tx, row: FoundSnippet, path: str, description: Html, page: Page
) -> SnippetOnPage:
    """The snippet that was found, with one of its files in colors and its rendered description.

    It takes one statement, or two for another file than the first.
    """
    file = await find_file(tx, row, path)
    data = file.content.encode()
    # Highlighted lines are kept by the name that git has for the content.
    name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    lines = await highlighting.highlighted(services, name, file.path, file.content)
    shown = await entities.load_one(tx, row.id)
    return SnippetOnPage(
        snippet=shown, path=file.path, description=description, part=part_of(lines, page), size=len(data),
        editable=row.editable,
    )  # fmt: skip


def raw(file: SnippetFile) -> Response:
    """The text alone; the headers keep a browser from running it as a page."""
    headers = {**SANDBOX, "Content-Disposition": "inline"}
    return Response(file.content.encode(), content_type="text/plain; charset=utf-8", headers=headers)
