"""What a push wants of a ref, and what came of it."""

from collections.abc import Sequence
from typing import Final

import msgspec

ZERO: Final = "0" * 40
BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"
FAVOURITE: Final = "master"
"""Among several first branches this one becomes the default, unless another was wished for."""


class Change(msgspec.Struct, array_like=True, frozen=True):
    """A ref is to point elsewhere: from nothing when it is new, to nothing when it is deleted."""

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
    def creates(self) -> bool:
        return self.old == ZERO and not self.deletes

    @property
    def deletes(self) -> bool:
        return self.new == ZERO


class Move(msgspec.Struct, frozen=True):
    """A ref that points elsewhere now."""

    change: Change
    commit_count: int
    """How many commits that brought."""
    commit_title: str | None
    """What the last of them is called."""


class PageChange(msgspec.Struct, frozen=True):
    """A page of a wiki by its slug: from nothing when it is new, to nothing when it is deleted."""

    before: str | None
    after: str | None


class Account(msgspec.Struct, frozen=True):
    """What is told of a push."""

    moves: list[Move]
    pages: list[PageChange]


def first_branch(moved: Sequence[Change], wished: str | None = None) -> str | None:
    """The branch that becomes the default one, where there was none."""
    born = [change.branch for change in moved if change.branch is not None and not change.deletes]
    return next((name for name in (wished, FAVOURITE, *born) if name in born), None)
