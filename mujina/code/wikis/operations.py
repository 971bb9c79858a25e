"""Wiki pages: files of the repository beside a project's own, changed by commits like any push."""

from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.adapters import git_reading, git_trees
from mujina.adapters.git_objects import opened
from mujina.adapters.git_storage import RepositoryStorage
from mujina.adapters.git_trees import TreeTooLarge
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Action, Code, InvalidAction, Signer
from mujina.code.pushes.changes import BRANCHES, ZERO, Change
from mujina.code.pushes.operations import move_refs
from mujina.code.wikis.params import Format
from mujina.code.wikis.slugs import BRANCH, FORMATS, SUFFIXES, slug_of, title_of
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.errors import Problems
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow

MAX_LENGTH: Final = 250
MAX_PART_BYTES = 255 - len(".asciidoc")
"""Bytes between two slashes: a page is a file, and wherever its wiki is cloned to there must be room for its name."""
MAX_COUNT: Final = 100_000
"""A wiki with more files is not listed to its end."""
DUPLICATE = "Duplicate page: A page with that title already exists"


class PageInfo(msgspec.Struct, frozen=True):
    """A page as it stands in the repository."""

    slug: str
    format: Format
    content: str

    @property
    def path(self) -> str:
        return self.slug + SUFFIXES[self.format]

    @property
    def title(self) -> str:
        return title_of(self.slug)


class Wiki(msgspec.Struct, frozen=True):
    """The wiki of a project, and how its changes are signed."""

    services: Services
    actor: Actor
    project_id: int
    code: Code


async def wiki_of(services: Services, actor: Actor, project: ProjectRow) -> Wiki:
    """The project's wiki; made, and empty, if nobody wrote yet."""
    storage = RepositoryStorage.of(services.settings.data, project.repository_storage)
    return Wiki(services, actor, project.id, Code(await storage.repository(project.id, wiki=True), BRANCH))


def pages(wiki: Wiki) -> list[PageInfo]:
    """Every page, in the order of their slugs."""
    if not commits.exists(wiki.code, BRANCH):
        return []
    repository = opened(wiki.code.place)
    commit = git_reading.find_commit(repository, BRANCH)
    try:
        entries = git_trees.entries(commit, "", recursive=True, offset=0, limit=MAX_COUNT)[0] if commit else []
    except TreeTooLarge as unwieldy:
        raise errors.bad_request(str(unwieldy)) from None
    found = [
        page
        for entry in entries
        if entry.type == "blob" and (page := _page_at(wiki, entry.path, PurePosixPath(entry.path).suffix))
    ]
    return sorted(found, key=lambda page: page.slug)


def find(wiki: Wiki, slug: str) -> PageInfo:
    """The page of this slug; 404 if there is none."""
    for suffix in FORMATS:
        if page := _page_at(wiki, slug.strip("/") + suffix, suffix):
            return page
    raise errors.not_found("Wiki Page")


async def create(wiki: Wiki, signer: Signer, title: str, content: str, format_: Format) -> PageInfo:
    """A new page; 400 if there is one of this title."""
    page = _checked(title, content, format_)
    if _exists(wiki, page.slug):
        raise errors.bad_request(DUPLICATE)
    await _write(wiki, signer, Action("create", page.path, page.content.encode()), f"Create {page.title}")
    return page


async def edit(wiki: Wiki, signer: Signer, before: PageInfo, after: PageInfo) -> PageInfo:
    """The page is as it is said to be, under another name if it has one; 400 if that is another page's."""
    page = _checked(after.slug, after.content, after.format)
    if page.slug != before.slug and _exists(wiki, page.slug):
        raise errors.bad_request(DUPLICATE)
    if page.path == before.path:
        action = Action("update", page.path, page.content.encode())
    else:
        action = Action("move", page.path, page.content.encode(), previous_path=before.path)
    await _write(wiki, signer, action, f"Update {page.title}")
    return page


async def remove(wiki: Wiki, signer: Signer, page: PageInfo) -> None:
    await _write(wiki, signer, Action("delete", page.path), f"Delete {page.title}")


def _checked(title: str, content: str, format_: Format) -> PageInfo:
    slug, problems = slug_of(title), Problems()
    problems.require("title", slug)
    problems.limit("title", title, MAX_LENGTH)
    if any(len(part.encode()) > MAX_PART_BYTES for part in slug.split("/")):
        problems.add("title", f"is too long (maximum is {MAX_PART_BYTES} bytes)")
    problems.require("content", content)
    problems.refuse()
    return PageInfo(slug, format_, content)


def _exists(wiki: Wiki, slug: str) -> bool:
    return any(_page_at(wiki, slug + suffix, suffix) for suffix in FORMATS)


def _page_at(wiki: Wiki, path: str, suffix: str) -> PageInfo | None:
    if suffix not in FORMATS or not commits.exists(wiki.code, BRANCH):
        return None
    file = git_reading.file_at(opened(wiki.code.place), commits.find(wiki.code, BRANCH).id, path)
    if file is None:
        return None
    return PageInfo(path.removesuffix(suffix), FORMATS[suffix], (file.data or b"").decode("utf-8", "replace"))


async def _write(wiki: Wiki, signer: Signer, action: Action, message: str) -> None:
    """One commit on the wiki's branch, moved there like any push."""
    parent = commits.find(wiki.code, BRANCH) if commits.exists(wiki.code, BRANCH) else None
    try:
        commit_id = await commits.write(wiki.code, parent, [action], message, signer, signer)
    except InvalidAction as unfit:
        raise errors.bad_request(str(unfit)) from None
    old = parent.id if parent else ZERO
    await move_refs(wiki.services, wiki.actor, wiki.project_id, [Change(BRANCHES + BRANCH, old, commit_id)], wiki=True)
