"""What a push wants of a ref."""

from typing import Final

import msgspec

ZERO: Final = "0" * 40
BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"


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
        return self.old == ZERO

    @property
    def deletes(self) -> bool:
        return self.new == ZERO
