"""Work that can wait gives way: the processor goes first to whoever asks the API."""

import os
from contextlib import suppress

_STEPS = 10
"""How much it gives way; with nobody in front of it it runs as fast as ever, and it always gets a tenth."""


def give_way(task: int) -> None:
    """From now on this process or thread, by its number, and what it starts run behind others."""
    with suppress(OSError, AttributeError):  # it has ended, or the system has no such thing
        os.setpriority(os.PRIO_PROCESS, task, os.getpriority(os.PRIO_PROCESS, 0) + _STEPS)
