"""Runs what is wanted: different keys at once, each key in order, until told to stop.

One coroutine speaks to the queue. Each of its turns is one transaction that writes how jobs ended, extends the leases
of those still running and takes the next, so that under load many jobs share a commit.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from math import inf
from secrets import token_hex
from time import monotonic
from typing import Any

from mujina.kernel import clock
from mujina.kernel.house import House
from mujina.kernel.jobs import queue, schedules, wakes
from mujina.kernel.jobs.queue import Job, Outcome
from mujina.kernel.jobs.tasks import Run, Task
from mujina.kernel.logs import log, mask

BREATH_SECONDS = 0.05
"""Between two looks at a job that another transaction has locked."""
LONGEST_ERROR = 2000

Count = Callable[[str, str], None]
"""Told the task and the outcome of each run: done, failed, released, parked."""


class Runner:
    """Every wanted job of these tasks runs at least once; one whose runner died is taken over when its lease ends."""

    def __init__(
        self,
        house: House,
        tasks: Collection[Task],
        *,
        at_once: int = 16,
        poll: timedelta = timedelta(seconds=5),
        lease: timedelta = timedelta(seconds=60),
        grace: timedelta = timedelta(seconds=20),
        count: Count = lambda _task, _outcome: None,
    ) -> None:
        self._house = house
        self._database = house.database
        self._tasks = {task.name: task for task in tasks}
        self._at_once = at_once
        self._poll = poll.total_seconds()
        self._lease = lease
        self._grace = grace
        self._count = count
        self._name = token_hex(8)
        self._bell = wakes.Bell()
        self._running: dict[int, asyncio.Task[Outcome]] = {}
        self._ended: dict[int, Outcome] = {}
        self._renew_at = inf
        self._stop_at = inf
        self._draining = asyncio.Lock()

    async def run(self) -> None:
        """Work until `stop`: then nothing more is taken, what runs may finish in `grace`, and the rest is released."""
        listen = wakes.listen(self._database, self._bell)
        keep_time = schedules.keep_time(self._database, self._tasks.values())
        with wakes.hung(self._bell):
            async with _beside(listen, keep_time):
                while self._stop_at == inf or (self._running and monotonic() < self._stop_at):
                    await self._bell.sleep(min(await self._step(), self._stop_at - monotonic()))
        await self._release()

    def stop(self) -> None:
        """Ask `run` to come to its end."""
        self._stop_at = min(self._stop_at, monotonic() + self._grace.total_seconds())
        self._bell.ring()

    async def drain(self) -> None:
        """Everything that is due has run when this returns, and whatever that wanted in turn; schedules rest."""
        async with self._draining:
            while True:
                if self._running:
                    await asyncio.wait(self._running.values())
                if await self._idle_seconds() > 0 or not await self._turn():
                    return

    async def _step(self) -> float:
        """One look, and one turn if there is anything to do; for how many seconds there is nothing to look at."""
        try:
            if (idle := await self._idle_seconds()) > 0:
                return idle
            return 0.0 if await self._turn() else BREATH_SECONDS
        except Exception as error:  # noqa: BLE001 - the runner outlives whatever the database suffers
            log.warning("jobs wait for the database", error=repr(error))
            return 1.0

    async def _idle_seconds(self) -> float:
        """How long there is nothing to write, to extend or to take, unless somebody rings."""
        if self._ended:
            return 0.0
        idle = min(self._poll, self._renew_at - monotonic()) if self._running else self._poll
        if self._room > 0:
            async with self._database.reading() as tx:
                ready_at = await queue.next_at(tx, self._tasks, besides=self._running)
            if ready_at is not None:
                idle = min(idle, clock.seconds_until(ready_at))
        return idle

    @property
    def _room(self) -> int:
        """How many more may run now."""
        return self._at_once - len(self._running) if self._stop_at == inf else 0

    async def _turn(self) -> bool:
        """Write what ended, extend what runs and take what is ready, in one transaction; whether anything moved."""
        ended, running, room = list(self._ended.values()), list(self._running), self._room
        renewal = bool(running) and monotonic() >= self._renew_at
        until = clock.later(self._lease)
        async with self._database.transaction() as tx:
            settled = await queue.settle(tx, self._name, ended) if ended else set[int]()
            lost = await queue.renew(tx, self._name, running, until=until) if renewal else set[int]()
            besides = [*running, *(outcome.job.id for outcome in ended if outcome.job.id not in settled)]
            taken = (
                await queue.take(tx, self._name, self._tasks, limit=room, until=until, besides=besides) if room else []
            )
        for id in settled:
            del self._ended[id]
        for id in lost & self._running.keys():
            self._running[id].cancel()
        if renewal or not self._running:
            self._renew_at = monotonic() + self._lease.total_seconds() / 3
        for job in taken:
            self._start(job)
        return bool(settled or renewal or taken)

    def _start(self, job: Job) -> None:
        if job.abandoned and job.attempts > self._tasks[job.task].backoff.attempts:
            # It may be what kills the process: it is not given the chance for ever.
            self._end(self._failure(job, "its process died while it ran"))
            return
        work = self._running[job.id] = asyncio.create_task(self._work(job))
        work.add_done_callback(lambda work: self._end(Outcome(job, "released") if work.cancelled() else work.result()))

    async def _work(self, job: Job) -> Outcome:
        """How the run ended; cancelled only from outside."""
        task = self._tasks[job.task]
        limit = asyncio.timeout(task.limit.total_seconds())
        try:
            async with limit:
                await task(Run(self._house, job.attempts), job.key)
        except (Exception, asyncio.CancelledError) as error:  # a task may fail in any way
            if isinstance(error, asyncio.CancelledError) and self._running[job.id].cancelling():
                raise
            log.warning("job failed", task=job.task, key=job.key, attempt=job.attempts, exc_info=error)
            return self._failure(job, f"ran longer than {task.limit}" if limit.expired() else _describe(error))
        return Outcome(job, "done")

    def _failure(self, job: Job, error: str) -> Outcome:
        backoff = self._tasks[job.task].backoff
        retry_at = clock.later(backoff.wait(job.attempts))
        return Outcome(job, "failed", error, retry_at, hopeless=job.attempts >= backoff.attempts)

    def _end(self, outcome: Outcome) -> None:
        self._running.pop(outcome.job.id, None)
        self._ended[outcome.job.id] = outcome
        self._count(outcome.job.task, "parked" if outcome.hopeless else outcome.verdict)
        self._bell.ring()

    async def _release(self) -> None:
        """Give back what did not finish in time; what cannot be given back is taken over when its lease ends."""
        for running in self._running.values():
            running.cancel()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=1)
        for _ in range(20):
            if self._ended:
                await asyncio.sleep(await self._step())


def _describe(error: BaseException) -> str:
    """What went wrong, for operators: without secrets, and as text any database takes."""
    # Cut once more after masking: a secret cut in two may not look like one.
    text = mask(f"{type(error).__name__}: {error}"[: 10 * LONGEST_ERROR])
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_ERROR]


@asynccontextmanager
async def _beside(*works: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Inside, these run as well; afterwards none does."""
    running = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        left = set(running)
        while left:  # a library may swallow a cancellation (`wait_for` does, before Python 3.12): it is told again
            for each in left:
                each.cancel()
            _, left = await asyncio.wait(left, timeout=1)
