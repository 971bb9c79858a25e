"""Tasks: async functions that jobs run by name.

    @task("projects.remove")
    async def remove_project(run: Run, key: str) -> None:
        async with run.database.transaction() as tx: ...

A task may run more than once for one call of `enqueue`, never twice at a time for one key, and must be idempotent.
"""

from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from random import uniform

import msgspec

from mujina.kernel.db.transaction import Database
from mujina.kernel.product import Product
from mujina.kernel.services import Services
from mujina.settings import Settings


class PermanentFailure(Exception):
    """Raised by a task that would fail again whenever it runs: its job is parked at once, for operators to see."""


class Run(msgspec.Struct, frozen=True):
    """One run of a task."""

    services: Services
    attempt: int
    """1 for the first run since the last success."""
    owner_id: int = 0
    """The user it is for; 0 for the instance."""

    @property
    def database(self) -> Database:
        return self.services.database


Work = Callable[[Run, str], Awaitable[None]]
Period = Callable[[Settings], timedelta]


class Backoff(msgspec.Struct, frozen=True):
    """The delay doubles with each failure of a key, with jitter; after the last attempt the job is parked."""

    attempts: int = 16
    first: timedelta = timedelta(seconds=2)
    max_delay: timedelta = timedelta(hours=1)

    def wait(self, attempt: int) -> timedelta:
        """The delay after this attempt failed: between half of its share and all of it."""
        return min(self.first * 2 ** min(attempt - 1, 30), self.max_delay) * uniform(0.5, 1)  # noqa: S311 - no secret


class Task(msgspec.Struct, frozen=True):
    """A function that jobs run, under the name their rows carry."""

    name: str
    work: Work
    backoff: Backoff
    limit: timedelta
    every: timedelta | Period | None
    long: bool = False

    def period(self, settings: Settings) -> timedelta | None:
        """The time between two runs of a periodic task."""
        return self.every(settings) if callable(self.every) else self.every

    async def __call__(self, run: Run, key: str) -> None:
        await self.work(run, key)


def task(
    name: str,
    *,
    backoff: Backoff = Backoff(),
    limit: timedelta = timedelta(minutes=15),
    every: timedelta | Period | None = None,
    long: bool = False,
) -> Callable[[Work], Task]:
    """Declare a task (`noun.imperative`) that fails after `limit`; with `every`, it is enqueued periodically, key "".

    `every` is a time, or a function that reads it from the settings.
    `long` tasks may take minutes: they never occupy all slots of a runner.
    """

    def declare(work: Work) -> Task:
        return Task(name=name, work=work, backoff=backoff, limit=limit, every=every, long=long)

    return declare


def tasks_of(product: Product) -> Iterator[Task]:
    """Every task of the `tasks.py` of each slice; the first one that is asked for imports them."""
    for module in product.modules("tasks"):
        yield from (value for value in vars(module).values() if isinstance(value, Task))
