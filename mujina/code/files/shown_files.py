"""The page of a file."""

from posixpath import dirname, join, normpath

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.code.commits.operations import CommitInfo
from mujina.code.files import operations
from mujina.code.files.folders import last_commit, text_place
from mujina.code.files.operations import Blob, Entry
from mujina.code.files.views import PICTURES, FileView, is_markdown, suffix_of, view_of
from mujina.code.repositories.browsing import RepositoryLocation, authors_of
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.rendering import markdown
from mujina.rendering.code import highlighting
from mujina.rendering.code.code_rows import part_of
from mujina.rendering.html import Html, escape
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_extras import media_tag


class ShownFile(msgspec.Struct, frozen=True):
    """A file with its newest commit."""

    entry: Entry
    view: FileView
    last: CommitInfo
    author: UserRef | None
    lines: int
    part: Paged[str] | None
    """The lines of its code on this page."""
    text: Html
    """Its rendered text."""
    target: str
    """The address of what a symbolic link leads to; empty if that is outside of the repository."""
    plain: bool
    """Whether it is shown as code where it could be rendered."""
    switchable: bool
    """Whether it can be shown both as code and rendered."""


async def read_shown_file(
    services: Services, tx: Tx, actor: Actor, location: RepositoryLocation, page: Page, *, plain: bool
) -> ShownFile:
    """The file at this location; at most two statements."""
    entry = errors.or_not_found(operations.entry_at(location.found, location.path), "File")
    blob = None if entry.type == "commit" else operations.blob(location.found, location.path)
    view = view_of(entry, blob, source=plain)
    last = await last_commit(location)
    author = (await authors_of(tx, [last])).get(last.author_email)
    part = await _part(services, location, page, view, blob)
    text = await _text(services, tx, actor, location, view)
    lines = part.total if part else len(highlighting.split_lines(view.text))
    return ShownFile(
        entry=entry, view=view, last=last, author=author, lines=lines, part=part, text=text,
        target=_target(location, view), plain=plain, switchable=_is_switchable(entry, view),
    )  # fmt: skip


async def _part(
    services: Services, location: RepositoryLocation, page: Page, view: FileView, blob: Blob | None
) -> Paged[str] | None:
    if view.kind != "code" or blob is None:
        return None
    return part_of(await highlighting.highlighted(services, blob.id, location.path, view.text), page)


async def _text(services: Services, tx: Tx, actor: Actor, location: RepositoryLocation, view: FileView) -> Html:
    if view.kind == "media":
        return Html(media_tag(location.address("raw"), escape(location.path.rpartition("/")[2])))
    if view.kind in ("markdown", "notebook"):
        where = text_place(location, location.path.rpartition("/")[0], below=1)
        return (await markdown.show(services, tx, actor, [MarkdownText(view.text, where)]))[0]
    return Html()


def _target(location: RepositoryLocation, view: FileView) -> str:
    path = normpath(join(dirname(location.path), view.text)) if view.kind == "symlink" else ".."
    return "" if path.startswith(("/", "..")) else location.address("blob", "" if path == "." else path)


def _is_switchable(entry: Entry, view: FileView) -> bool:
    suffix = suffix_of(entry.path)
    rendered = is_markdown(entry.path) or suffix in ("csv", "tsv", "svg", "ipynb")
    return (
        rendered
        and view.kind in ("code", "markdown", "notebook", "table", "picture")
        and (suffix == "svg" or suffix not in PICTURES)
    )
