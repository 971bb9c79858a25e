"""A snippet as its page shows it."""

import hashlib

import msgspec

from mujina.code.snippets import entities
from mujina.code.snippets.entities import Snippet
from mujina.code.snippets.rules import FoundSnippet, SnippetRow
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
    description: Html
    part: Paged[str]
    """The lines of its code on this page."""
    size: int
    editable: bool


async def read_snippet(services: Services, tx: Tx, row: FoundSnippet, description: Html, page: Page) -> SnippetOnPage:
    """The snippet that was found, with its code in colors and its rendered description: one statement."""
    data = row.content.encode()
    # Highlighted lines are kept by the name that git has for the content.
    name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    lines = await highlighting.highlighted(services, name, row.file_name, row.content)
    shown = await entities.load_one(tx, row.id)
    return SnippetOnPage(shown, description, part_of(lines, page), len(data), row.editable)


def raw(row: SnippetRow) -> Response:
    """The text alone; the headers keep a browser from running it as a page."""
    headers = {**SANDBOX, "Content-Disposition": "inline"}
    return Response(row.content.encode(), content_type="text/plain; charset=utf-8", headers=headers)
