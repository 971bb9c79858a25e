"""Pauses of long work while others need the processors.

A lower priority alone does not do: Linux weighs the processes of each session, service and container as a group
(`sched_autogroup_enabled`, cgroups), and compares priorities within a group only.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

WORK_SECONDS: Final = 0.1
"""The shortest time that the kernel's counters of hundredths of a second can judge."""
PAUSES: Final = 9
"""The length of a pause as a multiple of the work before it: work that competes gets a tenth of the time."""
MAX_PAUSE_SECONDS: Final = 5.0
IDLE_PROCESSORS: Final = 0.5
"""With more of them idle, no other process waits for this one."""
OTHERS_SHARE: Final = 0.25
"""The share of all processors from which others count: less is the kernel writing to disks for this process."""
_STAT: Final = Path("/proc/stat")


class Usage(NamedTuple):
    """Seconds of all processors until now."""

    at: float
    idle: float
    others: float
    """Used by other processes."""


class Pauses:
    """Work that calls `rest` often takes a tenth of the time while others use all processors, and all of it otherwise."""

    def __init__(self) -> None:
        self._before = read_usage()
        self._free_until = 0.0

    def rest(self) -> None:
        """Sleep if others and the work since the last call left no processor idle."""
        before = self._before
        if before is None or (worked := time.monotonic() - before.at) < WORK_SECONDS:
            return
        now = self._before = read_usage()
        if now is None or now.at < self._free_until or not competes(before, now):
            return
        time.sleep(min(PAUSES * worked, MAX_PAUSE_SECONDS))
        after = self._before = read_usage()
        if after is not None and _idle(now, after) >= IDLE_PROCESSORS:  # others have enough beside this process
            self._free_until = after.at + PAUSES * (after.at - now.at)


def competes(before: Usage, now: Usage) -> bool:
    """Whether nothing was idle between the two, and others used a good part of it."""
    others = (now.others - before.others) / (now.at - before.at)
    return _idle(before, now) < IDLE_PROCESSORS and others >= OTHERS_SHARE * (os.cpu_count() or 1)


def _idle(before: Usage, now: Usage) -> float:
    """Processors, on average."""
    return (now.idle - before.idle) / (now.at - before.at)


def read_usage() -> Usage | None:
    """None on a system that does not tell."""
    with suppress(OSError, ValueError):
        with _STAT.open() as file:
            ticks = [int(number) for number in file.readline().split()[1:6]]
        user, low, system, idle, waiting = (number / os.sysconf("SC_CLK_TCK") for number in ticks)
        return Usage(time.monotonic(), idle + waiting, user + low + system - time.process_time())
    return None
