"""Wiki pages: files of a second repository of the project, changed by commits."""

from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import trees
from mujina.adapters.git.reading.commits import Blob
from mujina.adapters.git.reading.trees import Entry, TreeTooLarge
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Action, CommitInfo, Committer, Repository, TargetBranch
from mujina.code.pushes.changes import ZERO
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.code.wikis.params import Format
from mujina.code.wikis.slugs import BRANCH, FORMATS, SUFFIXES, address_of, slug_at, slug_of, title_of
from mujina.kernel import errors
from mujina.kernel.errors import Problems
from mujina.kernel.services import Services
from mujina.kernel.text.encodings import decode_text
from mujina.workspaces.projects.rules import ProjectRow

MAX_LENGTH: Final = 250
MAX_PART_BYTES = 255 - len(".asciidoc")
"""The bytes between two slashes: the name of the page's file must fit on any file system."""
MAX_FILES: Final = 100_000
"""Files of a wiki that are listed."""
DUPLICATE = "Duplicate page: A page with that title already exists"


class PageInfo(msgspec.Struct, frozen=True):
    slug: str
    format: Format
    content: str

    @property
    def path(self) -> str:
        return self.slug + SUFFIXES[self.format]

    @property
    def title(self) -> str:
        return title_of(self.slug)

    @property
    def address(self) -> str:
        """The name by which addresses of its pages call it."""
        return address_of(self.slug)


async def wiki_of(services: Services, project: ProjectRow) -> Repository:
    """The project's wiki, to read it; empty before the first page."""
    return Repository(await repo_path_to_read(services, project.repository_storage, project.id, wiki=True), BRANCH)


def pages(code: Repository) -> list[PageInfo]:
    """Every page, sorted by slug."""
    found = [page for entry in _files(code) if (page := _page_at(code, entry.path, PurePosixPath(entry.path).suffix))]
    return sorted(found, key=lambda page: page.slug)


def slugs(code: Repository) -> list[str]:
    """The slugs of all pages, the home page first, then by title; no content is read."""
    found = {slug for entry in _files(code) if (slug := slug_at(entry.path))}
    return sorted(found, key=lambda slug: (slug != "home", slug.casefold(), slug))


def _files(code: Repository) -> list[Entry]:
    commit = reading.find_commit(code.repository, BRANCH)
    try:
        entries = trees.entries(commit, "", recursive=True, offset=0, limit=MAX_FILES)[0] if commit else []
    except TreeTooLarge as error:
        raise errors.bad_request(str(error)) from None
    return [entry for entry in entries if entry.type == "blob"]


def page_of(code: Repository, slug: str, version: str = BRANCH) -> PageInfo | None:
    """The page of this slug at a commit, if there is one."""
    found = (_page_at(code, slug.strip("/") + suffix, suffix, version) for suffix in FORMATS)
    return next((page for page in found if page is not None), None)


def find(code: Repository, slug: str) -> PageInfo:
    """The page of this slug; 404 if there is none."""
    return errors.or_not_found(page_of(code, slug), "Wiki Page")


def attached_file(code: Repository, path: str) -> Blob | None:
    """The file at this path of the wiki, such as a picture; None if there is none, or if it is a page."""
    if slug_at(path) is not None or not commits.exists(code, BRANCH):
        return None
    return reading.file_at(opened(code.repo_path), commits.find(code, BRANCH).id, path)


async def versions(code: Repository, page: PageInfo, *, offset: int, limit: int) -> tuple[list[CommitInfo], int]:
    """A part of the commits that changed the page, the newest first, and how many there are."""
    return await commits.history(commits.find(code, BRANCH), page.path, "", "", offset=offset, limit=limit)


async def newest_version(code: Repository, page: PageInfo) -> CommitInfo | None:
    """The newest commit that changed the page, if git finds one."""
    newest, _ = await versions(code, page, offset=0, limit=1)
    return newest[0] if newest else None


async def create(committer: Committer, title: str, content: str, format_: Format, message: str = "") -> PageInfo:
    """A new page; 400 if a page of this title exists."""
    page = _checked(title, content, format_)
    if page_of(committer.code, page.slug) is not None:
        raise errors.bad_request(DUPLICATE)
    action = Action("create", page.path, page.content.encode())
    await _commit(committer, action, message or f"Create {page.title}")
    return page


async def edit(committer: Committer, before: PageInfo, after: PageInfo, message: str = "") -> PageInfo:
    """Change the page, also its name; 400 if another page has that name."""
    page = _checked(after.slug, after.content, after.format)
    if page.slug != before.slug and page_of(committer.code, page.slug) is not None:
        raise errors.bad_request(DUPLICATE)
    if page.path == before.path:
        action = Action("update", page.path, page.content.encode())
    else:
        action = Action("move", page.path, page.content.encode(), previous_path=before.path)
    await _commit(committer, action, message or f"Update {page.title}")
    return page


async def remove(committer: Committer, page: PageInfo) -> None:
    await _commit(committer, Action("delete", page.path), f"Delete {page.title}")


def _checked(title: str, content: str, format_: Format) -> PageInfo:
    slug, problems = slug_of(title), Problems()
    problems.require("title", slug)
    problems.limit("title", title, MAX_LENGTH)
    if any(len(part.encode()) > MAX_PART_BYTES for part in slug.split("/")):
        problems.add("title", f"is too long (maximum is {MAX_PART_BYTES} bytes)")
    problems.require("content", content)
    problems.refuse()
    return PageInfo(slug, format_, content)


def _page_at(code: Repository, path: str, suffix: str, version: str = BRANCH) -> PageInfo | None:
    if suffix not in FORMATS or not commits.exists(code, version):
        return None
    file = reading.file_at(opened(code.repo_path), commits.find(code, version).id, path)
    if file is None:
        return None
    return PageInfo(path.removesuffix(suffix), FORMATS[suffix], decode_text(file.data or b""))


async def _commit(committer: Committer, action: Action, message: str) -> None:
    """One commit on the wiki's branch, which the first one creates."""
    exists = commits.exists(committer.code, BRANCH)
    parent = commits.find(committer.code, BRANCH) if exists else None
    branch = TargetBranch(committer, BRANCH, parent.id if parent else ZERO, parent)
    await commits.commit(branch, [action], message)
