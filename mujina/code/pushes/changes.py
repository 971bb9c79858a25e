"""A change of a ref as a push requests it, and the summary of what a push changed."""

from collections.abc import Sequence
from typing import Final

import msgspec

ZERO: Final = "0" * 40
BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"
KEPT: Final = "refs/keep-around/"
"""Refs that keep commits which no branch has."""
NOTES: Final = "refs/notes/"
"""Texts that git keeps beside commits: release tools push them. Only git shows them, and they have no effects."""
INITIAL_BRANCH: Final = "master"
"""The branch that the first commit of an empty repository creates, unless the project asks for another."""
PREFERRED_BRANCHES: Final = (INITIAL_BRANCH, "main")
"""The first of these among several first branches becomes the default, unless the project asks for another."""


class Change(msgspec.Struct, array_like=True, frozen=True):
    """A ref moves from the old object to the new one; `ZERO` stands for a ref that does not exist."""

    ref: str
    old: str
    new: str

    @property
    def branch(self) -> str | None:
        """The name of the branch, if it is one."""
        return self.ref.removeprefix(BRANCHES) if self.ref.startswith(BRANCHES) else None

    @property
    def tag(self) -> str | None:
        """The name of the tag, if it is one."""
        return self.ref.removeprefix(TAGS) if self.ref.startswith(TAGS) else None

    @property
    def note(self) -> str | None:
        """The name of the notes, if they are some."""
        return self.ref.removeprefix(NOTES) if self.ref.startswith(NOTES) else None

    @property
    def creates(self) -> bool:
        return self.old == ZERO and not self.deletes

    @property
    def deletes(self) -> bool:
        return self.new == ZERO


class RefSummary(msgspec.Struct, frozen=True):
    """A ref that has moved."""

    change: Change
    commit_count: int
    """How many commits the change added."""
    commit_title: str | None
    """The title of the newest of them."""
    since: str | None = None
    """The commit that lacks them; None: they are the whole history."""


class PageChange(msgspec.Struct, frozen=True):
    """A wiki page by its slug before and after: None before it is created and after it is deleted."""

    before: str | None
    after: str | None


class PushSummary(msgspec.Struct, frozen=True):
    """The changes that a push made."""

    refs: list[RefSummary]
    pages: list[PageChange]


def first_branch(moved: Sequence[Change], requested: str | None = None) -> str | None:
    """The branch that becomes the default branch of a project that has none; `moved` is in the order of the push."""
    created = [change.branch for change in moved if change.branch is not None and not change.deletes]
    return next((name for name in (requested, *PREFERRED_BRANCHES, *created) if name in created), None)
