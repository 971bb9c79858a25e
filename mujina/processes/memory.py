"""The memory that the C library keeps for a process."""

import ctypes
from contextlib import suppress
from typing import Final

MAX_ARENAS: Final = 2
_M_ARENA_MAX: Final = -8
"""The name of the limit in `malloc.h`."""


def limit_arenas() -> None:
    """Let all threads allocate from two pools. glibc would make one for nearly every thread, and keep what each once held."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MAX_ARENAS)
