"""What a job does: a plain async function under a name, with what it needs handed to it.

    @task("projects.remove")
    async def remove_project(run: Run, key: str) -> None:
        async with run.database.transaction() as tx: ...

It may run more than once for one want, never twice at a time for one key, and must reach the same end each time.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from random import uniform

from mujina.kernel.db.transaction import Database
from mujina.kernel.services import Services


@dataclass(frozen=True, slots=True)
class Run:
    """What a task works with."""

    services: Services
    attempt: int
    """1 for the first run since the last good one."""

    @property
    def database(self) -> Database:
        return self.services.database


Work = Callable[[Run, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Backoff:
    """After each failure of a key twice as long a wait, spread at random; after the last attempt the job is parked."""

    attempts: int = 16
    first: timedelta = timedelta(seconds=2)
    longest: timedelta = timedelta(hours=1)

    def wait(self, attempt: int) -> timedelta:
        """How long to wait after the given attempt failed: between half of its share and all of it."""
        return min(self.first * 2 ** min(attempt - 1, 30), self.longest) * uniform(0.5, 1)  # noqa: S311 - no secret


@dataclass(frozen=True, slots=True)
class Task:
    """A function that jobs run, under the name their rows carry."""

    name: str
    work: Work
    backoff: Backoff
    limit: timedelta
    every: timedelta | None

    async def __call__(self, run: Run, key: str) -> None:
        await self.work(run, key)


def task(
    name: str,
    *,
    backoff: Backoff = Backoff(),
    limit: timedelta = timedelta(minutes=15),
    every: timedelta | None = None,
) -> Callable[[Work], Task]:
    """Declare a task (`noun.imperative`): failing after `limit`, and with `every`, wanted by the clock under the key ""."""

    def declare(work: Work) -> Task:
        return Task(name, work, backoff, limit, every)

    return declare
