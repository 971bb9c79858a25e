"""Clean-up after a removal, registered by the slices that own the rows and files, as reactions are.

A slice that removes something names a step; `mujina/removals.py` lists what each step runs, in order. So the slice of
users need not know the chapters after it that keep something of a user.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

BATCH: Final = 1_000
"""How many rows of a table one transaction of a removal changes, so that other writers never wait long."""

Cleanup = Callable[..., Awaitable[bool | None]]
"""One step of a removal, idempotent; False: something has to go first, try again later; or more is left, call it again."""

Cleanups = Mapping[str, Sequence[Cleanup]]
"""Step (`noun.moment`) → clean-ups, in their order."""

_cleanups: Cleanups | None = None


def register_cleanups(cleanups: Cleanups) -> None:
    """Register the clean-ups of the product; the composition root calls this once."""
    global _cleanups  # noqa: PLW0603 - the slice that removes does not know who cleans up
    _cleanups = cleanups


async def clean_up(step: str, *args: Any) -> bool:
    """Run every clean-up of this step; False as soon as one says that something has to go first."""
    if _cleanups is None:
        raise RuntimeError("rows would be left behind: the composition root has not called register_cleanups(…)")
    for cleanup in _cleanups[step]:
        if await cleanup(*args) is False:
            return False
    return True
