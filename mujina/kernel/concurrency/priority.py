"""Lower priority for work that can wait: requests of the API get processor and memory first."""

import os
import resource
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread, get_native_id
from typing import Final, TypeVar

Result = TypeVar("Result")

MAX_MEMORY: Final = max(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
"""Bytes that one subprocess may use: half of the machine."""

_STEPS = 10
"""Added to the nice value: full speed on an idle machine, and always about a tenth of a processor."""


def lower_priority(task: int) -> None:
    """Lower the priority of this process or thread, by its id, and of its children."""
    with suppress(OSError, AttributeError):  # it has ended, or the system has no such thing
        os.setpriority(os.PRIO_PROCESS, task, os.getpriority(os.PRIO_PROCESS, 0) + _STEPS)


def run_with_low_priority(work: Callable[[], Result]) -> Result:
    """The result of the work, which a thread of lower priority does, and threads that it starts: this one keeps its own."""
    outcome = Future[Result]()

    def run() -> None:
        lower_priority(get_native_id())
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()  # an interrupted command does not wait for its end
    return outcome.result()


def limit_memory(task: int, largest_file: int | None) -> None:
    """Limit the memory of this process and its children; the kernel kills it first when memory runs out.

    A pack of a few kilobytes may expand to a file of many gigabytes; `largest_file` limits that too.
    """
    with suppress(OSError, AttributeError):
        resource.prlimit(task, resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
        if largest_file is not None:
            resource.prlimit(task, resource.RLIMIT_FSIZE, (largest_file, largest_file))
            resource.prlimit(task, resource.RLIMIT_CORE, (0, 0))  # or it would leave one
        Path(f"/proc/{task}/oom_score_adj").write_text("1000")
