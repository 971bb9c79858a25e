"""The page of a folder: its entries with their newest commits, and the file that describes it."""

from collections.abc import Mapping
from typing import Final

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.code.commits.operations import CommitInfo, ResolvedCommit, show
from mujina.code.files import operations
from mujina.code.files.operations import Entry
from mujina.code.files.views import MAX_TEXT, is_binary, is_markdown, readme_in
from mujina.code.repositories.browsing import RepositoryLocation, authors_of
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.text.encodings import decode_text
from mujina.kernel.urls import instance_address
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText, plain
from mujina.rendering.markdown_pieces import TextPlace

PAGE_SIZE: Final = 500
WAIT_SECONDS: Final = 0.15
"""Seconds that a page waits for the newest commits of its entries."""


class FolderRow(msgspec.Struct, frozen=True):
    name: str
    kind: str
    """`tree`, `blob`, `link` or `commit` (a submodule)."""
    address: str
    commit: CommitInfo | None


class Folder(msgspec.Struct, frozen=True):
    """A page of a folder's entries."""

    rows: Paged[FolderRow]
    last: CommitInfo
    author: UserRef | None
    complete: bool
    """Whether the newest commits of the entries are known."""
    readme: str
    """The name of the file that describes the folder; empty if there is none."""
    text: Html
    """That file, rendered."""


async def read_folder(
    services: Services, tx: Tx, actor: Actor, location: RepositoryLocation, page: Page,
    authors: Mapping[str, UserRef] | None = None, *, wait_seconds: float | None = WAIT_SECONDS,
) -> Folder:  # fmt: skip
    """The folder at this location; at most two statements. `authors`: by e-mail address, if they are known already."""
    found = location.found
    page = Page(page.number, PAGE_SIZE, page.tree)
    entries, total = await operations.tree(found, location.path, recursive=False, **page.bound)
    newest = await operations.last_commits(found, location.path, wait_seconds)
    rows = [
        FolderRow(
            entry.name,
            "link" if entry.mode == "120000" else entry.type,
            location.address("tree" if entry.type == "tree" else "blob", entry.path),
            newest.commits.get(entry.name),
        )
        for entry in entries
    ]
    last = await last_commit(location)
    found_authors = await authors_of(tx, [last]) if authors is None else authors
    readme = readme_in(entries)
    text = await _described(services, tx, actor, location, readme) if readme else Html()
    return Folder(
        rows=page.of(rows, total), last=last, author=found_authors.get(last.author_email), complete=newest.complete,
        readme=readme.name if readme else "", text=text,
    )  # fmt: skip


async def last_commit(location: RepositoryLocation) -> CommitInfo:
    """The newest commit that touched this location."""
    found = location.found
    id_ = await operations.last_commit_of(found, location.path) if location.path else found.id
    return show(ResolvedCommit(found.code, id_, id_))


def text_place(location: RepositoryLocation, folder: str, *, below: int = 2) -> TextPlace:
    """Where a text in this folder of the repository is."""
    return TextPlace(
        base=instance_address.get().base, project=location.project.full_path, ref=location.found.name, folder=folder,
        file=True, below=below,
    )  # fmt: skip


async def _described(services: Services, tx: Tx, actor: Actor, location: RepositoryLocation, readme: Entry) -> Html:
    blob = operations.blob(location.found, readme.path)
    if blob.data is None or blob.size > MAX_TEXT or is_binary(blob.data):
        return Html()
    text = decode_text(blob.data)
    if not is_markdown(readme.name):
        return plain(text).html({})
    return (await markdown.show(services, tx, actor, [MarkdownText(text, text_place(location, location.path))]))[0]
