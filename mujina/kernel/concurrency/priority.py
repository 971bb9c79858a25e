"""Lower priority for work that can wait: requests of the API get processor and memory first."""

import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import Final

MAX_MEMORY: Final = max(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
"""Bytes that one subprocess may use: half of the machine."""

_STEPS = 10
"""Added to the nice value: full speed on an idle machine, and always about a tenth of a processor."""


def give_way(task: int) -> None:
    """Lower the priority of this process or thread, by its id, and of its children."""
    with suppress(OSError, AttributeError):  # it has ended, or the system has no such thing
        os.setpriority(os.PRIO_PROCESS, task, os.getpriority(os.PRIO_PROCESS, 0) + _STEPS)


def confine(task: int, largest_file: int | None = None) -> None:
    """Limit the memory of this process and its children; the kernel kills it first when memory runs out.

    A pack of a few kilobytes may expand to a file of many gigabytes; `largest_file` limits that too.
    """
    with suppress(OSError, AttributeError):
        resource.prlimit(task, resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
        if largest_file is not None:
            resource.prlimit(task, resource.RLIMIT_FSIZE, (largest_file, largest_file))
            resource.prlimit(task, resource.RLIMIT_CORE, (0, 0))  # or it would leave one
        Path(f"/proc/{task}/oom_score_adj").write_text("1000")
