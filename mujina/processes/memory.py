"""The memory that the C library keeps for a process."""

import ctypes
from contextlib import suppress
from typing import Final

MAX_ARENAS: Final = 2
MAX_KEPT: Final = 1024 * 1024
"""Bytes. glibc would raise these limits to 32 and 64 MB for good once a hash of a password or a large diff was freed."""

_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_TRIM_THRESHOLD: Final = -1
"""The names of the limits in `malloc.h`."""


def limit_kept_memory() -> None:
    """Give freed memory back to the system.

    All threads allocate from two pools: glibc would make one for nearly every thread, and keep what each once held. Large
    pieces are mapped, so that each is given back at once; of the rest at most `MAX_KEPT` at the end of a pool is kept.
    """
    with suppress(OSError, AttributeError):  # another C library
        set_limit = ctypes.CDLL(None).mallopt
        for name, limit in ((_ARENA_MAX, MAX_ARENAS), (_MMAP_THRESHOLD, MAX_KEPT), (_TRIM_THRESHOLD, MAX_KEPT)):
            set_limit(name, limit)
