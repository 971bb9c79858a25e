"""Pauses of long work while others need the processors."""

import os
import time
from collections.abc import Callable

import pytest

from mujina.kernel.concurrency import pauses
from mujina.kernel.concurrency.pauses import Pauses, Usage, read_usage

PROCESSORS = os.cpu_count() or 1


class Machine:
    """A clock that only work and sleep move, and processors that others use."""

    def __init__(self) -> None:
        self.at = self.idle = self.others = self.slept = 0.0
        self.used_by_others: Callable[[], float] = lambda: 0.0
        self.used_by_us = 0.0

    def pass_time(self, seconds: float, ours: float) -> None:
        others = min(self.used_by_others(), PROCESSORS - ours)
        self.at += seconds
        self.others += others * seconds
        self.idle += (PROCESSORS - ours - others) * seconds

    def work(self, rests: Pauses, seconds: float) -> None:
        """Work as hard as others leave it: half of the processors at least."""
        for _ in range(round(seconds / 0.05)):
            self.pass_time(0.05, max(PROCESSORS / 2, PROCESSORS - self.used_by_others()))
            rests.rest()

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.pass_time(seconds, 0.0)

    def usage(self) -> Usage:
        return Usage(self.at, self.idle, self.others)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(pauses, "read_usage", made.usage)
    monkeypatch.setattr(time, "monotonic", lambda: made.at)
    monkeypatch.setattr(time, "sleep", made.sleep)
    return made


def test_work_takes_a_tenth_of_the_time_while_others_use_all_processors(machine: Machine) -> None:
    machine.used_by_others = lambda: PROCESSORS
    machine.work(Pauses(), 10)
    assert machine.slept == pytest.approx(90, rel=0.05)


def test_work_does_not_pause_on_a_machine_that_does_nothing_else(machine: Machine) -> None:
    machine.used_by_others = lambda: 0.2 * PROCESSORS  # the kernel, for the work itself
    machine.work(Pauses(), 10)
    assert machine.slept == 0


def test_work_hardly_pauses_while_others_leave_some_of_the_processors(machine: Machine) -> None:
    machine.used_by_others = lambda: PROCESSORS / 2
    machine.work(Pauses(), 10)
    assert machine.slept < 2


def test_the_system_tells_what_others_and_this_process_use() -> None:
    before = read_usage()
    ended = time.monotonic() + 0.3
    while time.monotonic() < ended:
        pass
    after = read_usage()
    assert before is not None
    assert after is not None
    assert after.at - before.at >= 0.3
    total = after.idle - before.idle + after.others - before.others
    assert total <= (after.at - before.at) * PROCESSORS + 0.1
