"""Addresses of pages about code: `feature/x/docs/a.md` is a branch or tag, and a path in it."""

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property, wraps
from typing import Concatenate, Final, ParamSpec
from urllib.parse import quote, urlencode

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.accounts.users.sign_in.addresses import users_by_address
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo, Repository, ResolvedCommit
from mujina.code.pushes.changes import BRANCHES, TAGS
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Result
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow

MAX_DEPTH: Final = 100
"""Parts of a tail that are tried as a branch or tag."""
MAX_LISTED: Final = 50
"""Branches and tags in the menu of a page; the others are on pages of their own."""


class RepositoryLocation(msgspec.Struct, frozen=True, dict=True):
    """A location in a repository: what a page about code shows."""

    project: ProjectRow
    found: ResolvedCommit
    path: str

    @cached_property
    def root(self) -> str:
        """`/group/project`"""
        return quote(f"/{self.project.full_path}")

    @cached_property
    def ref(self) -> str:
        """The branch, tag or commit as addresses spell it."""
        return quote(self.found.name)

    def address(self, page: str, path: str | None = None, ref: str | None = None) -> str:
        """The address of another page about this location, or about another path or ref."""
        shown = self.path if path is None else path
        return f"{self.root}/{page}/{quote(ref) if ref else self.ref}" + (f"/{quote(shown)}" if shown else "")

    def switch(self, page: str, ref: str) -> str:
        """The address that leads to the same page at another ref, if that has this path."""
        if not self.path:
            return self.address(page, ref=ref)
        return f"{self.root}/refs/switch?{urlencode({'destination': page, 'ref': ref, 'path': self.path})}"

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The names along the path, with the address of each folder."""
        names = self.path.split("/") if self.path else []
        return [(name, self.address("tree", "/".join(names[: n + 1]))) for n, name in enumerate(names)]

    @property
    def is_branch(self) -> bool:
        return commits.is_branch(self.found.code, self.found.name)


class NoSuchRef(errors.ApiError):
    """The address of a page names no branch, tag or commit."""

    def __init__(self, code: Repository) -> None:
        missing = errors.not_found("Branch or tag")
        super().__init__(missing.status, missing.body)
        self.code = code


Rest = ParamSpec("Rest")
Handler = Callable[Concatenate[PageRequest, ProjectRow, Rest], Awaitable[Result]]


def offers_refs(handler: Handler[Rest]) -> Handler[Rest]:
    """Where the address of a page names no ref, those who are signed in are offered the branches that exist."""

    @wraps(handler)
    async def checked(request: PageRequest, project: ProjectRow, *args: Rest.args, **rest: Rest.kwargs) -> Result:
        try:
            return await handler(request, project, *args, **rest)
        except NoSuchRef as missing:
            if request.actor.anonymous:
                raise
            return HtmlPage("code/no_ref.html", {"refs": ref_menu(missing.code)}, status=404)

    return checked


async def browse(services: Services, project: ProjectRow, tail: str) -> RepositoryLocation:
    """The longest existing branch, tag or commit id at the start of a tail, and the path behind it; 404 without one."""
    code = await commits.code_of(services, project)
    parts = tail.strip("/").split("/")
    for length in range(min(len(parts), MAX_DEPTH), 0, -1):
        name = "/".join(parts[:length])
        if commits.is_name(code, name, as_id=length == 1):
            return RepositoryLocation(project, commits.find(code, name), "/".join(parts[length:]))
    raise NoSuchRef(code)


async def browse_default(services: Services, project: ProjectRow) -> RepositoryLocation | None:
    """The default branch; None in an empty repository."""
    code = await commits.code_of(services, project)
    if project.default_branch is None or not commits.exists(code, project.default_branch):
        return None
    return RepositoryLocation(project, commits.find(code, project.default_branch), "")


class RefMenu(msgspec.Struct, frozen=True):
    """The branches and tags that a page offers."""

    branches: list[str]
    tags: list[str]
    branch_count: int
    tag_count: int


def ref_menu(code: Repository) -> RefMenu:
    """Some branches and tags, and how many there are."""
    refs = list(code.repository.references)
    names, tag_names = (sorted(ref[len(at) :] for ref in refs if ref.startswith(at)) for at in (BRANCHES, TAGS))
    return RefMenu(names[:MAX_LISTED], tag_names[-MAX_LISTED:][::-1], len(names), len(tag_names))


async def authors_of(tx: Tx, shown: Sequence[CommitInfo]) -> dict[str, UserRef]:
    """The users who wrote these commits, by the addresses in them: one statement."""
    return await users_by_address(tx, {commit.author_email for commit in shown})
