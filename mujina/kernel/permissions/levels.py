"""Levels of access and degrees of visibility, in their order."""

from typing import Final, Literal

NOBODY: Final = 0
GUEST: Final = 10
REPORTER: Final = 20
DEVELOPER: Final = 30
MASTER: Final = 40
OWNER: Final = 50

LEVELS: Final = (GUEST, REPORTER, DEVELOPER, MASTER, OWNER)
PROJECT_LEVELS: Final = (GUEST, REPORTER, DEVELOPER, MASTER)
"""A project's own member rows; owners are owners of its namespace."""
ROLES: Final = {GUEST: "Guest", REPORTER: "Reporter", DEVELOPER: "Developer", MASTER: "Master", OWNER: "Owner"}
"""The levels as people call them."""

Visibility = Literal["private", "internal", "public"]
VISIBILITIES: Final[tuple[Visibility, ...]] = ("private", "internal", "public")


def exceeds(one: Visibility, other: Visibility) -> bool:
    """Whether `one` shows more than `other`."""
    return VISIBILITIES.index(one) > VISIBILITIES.index(other)
