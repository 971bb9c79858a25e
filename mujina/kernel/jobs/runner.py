"""Runs enqueued jobs: different keys concurrently, each key in order, until it is stopped.

The runner works in rounds: each is one transaction that records outcomes and takes the next jobs, so that many jobs
share a commit. Only a row that is locked is waited for in a transaction of its own.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cached_property
from secrets import token_hex
from time import monotonic
from typing import Any, NamedTuple

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs import queue, schedules, wakeups
from mujina.kernel.jobs.queue import Job, JobOutcome
from mujina.kernel.jobs.running_job import RunningJob
from mujina.kernel.jobs.shares import Shares
from mujina.kernel.jobs.tasks import Task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Services

LOCK_WAIT_SECONDS = 1.0
"""How long the runner waits for a locked row before it looks at the others again."""

BATCH_DELAY_SECONDS = 0.05
"""The delay before the run: the request is answered first, and jobs that come together are taken together."""

RETRY_SECONDS = 1.0
"""The pause between two attempts to reach a database that does not answer."""

RELEASE_SECONDS = 2.0
"""The time for recording the jobs that a stop interrupted."""

Count = Callable[[str, str], None]
"""Called with the task and the outcome of each run: done, failed, parked, released."""


class Load(NamedTuple):
    """The work of a background service: counts since it started."""

    busy: int
    """The number of jobs that it works on now."""
    processed: int
    failed: int
    """The number of processed jobs that failed."""


class Runner:
    """Every enqueued job of these tasks runs at least once; a job whose runner died is taken over when its lease ends."""

    name = "Jobs"

    def __init__(
        self,
        services: Services,
        tasks: Iterable[Task],
        *,
        at_once: int = 24,
        poll: timedelta = timedelta(seconds=5),
        lease: timedelta = timedelta(seconds=8),
        grace: timedelta = timedelta(seconds=20),
        count: Count = lambda _task, _outcome: None,
    ) -> None:
        self._services = services
        self._database = services.database
        self._declared = tasks
        self.at_once = at_once
        self._processed = self._failed = 0
        self._poll = poll.total_seconds()
        self._lease = lease
        self._grace = grace.total_seconds()
        self._count = count
        self._name = token_hex(8)
        self._wakeup = wakeups.Wakeup()
        self._enqueued = wakeups.Wakeup()
        self._stopping = False
        self._draining = asyncio.Lock()
        self._running: dict[int, RunningJob] = {}
        self._ended: list[JobOutcome] = []
        self._background: set[asyncio.Task[None]] = set()

    @cached_property
    def _tasks(self) -> dict[str, Task]:
        """Every task by name. It is not read before the process is ready: `tasks_of` imports what they need then."""
        return {task.name: task for task in self._declared}

    @cached_property
    def _shares(self) -> Shares:
        return Shares(self._tasks, self.at_once)

    @property
    def queues(self) -> list[str]:
        """The names of the tasks."""
        return sorted(self._tasks)

    async def run(self) -> None:
        """Work until `stop`: then take no more jobs, let running ones finish within `grace`, and release the rest."""
        listen = wakeups.listen(self._database, self._enqueued)
        scheduling = schedules.run_schedules(self._database, self._tasks.values(), self._services.settings)
        with wakeups.registered(self._enqueued):
            async with run_alongside(listen, self._watch_queue(), scheduling, self._keep_leases()):
                while not self._stopping:
                    await self._wakeup.sleep(await self._step())
                await self._finish(self._grace)
                for job in self._running.values():
                    job.interrupt()
                await self._finish(RELEASE_SECONDS)

    def stop(self) -> None:
        """Ask `run` to end."""
        self._stopping = True
        self._wakeup.notify()

    def load(self) -> Load:
        """The numbers of its running and finished jobs."""
        return Load(len(self._running), self._processed, self._failed)

    async def drain(self) -> None:
        """Run everything that is due and everything that those jobs enqueue; schedules do not fire."""
        async with self._draining, run_alongside(self._keep_leases()):
            while self._background or (await self._idle_seconds() <= 0 and await self._round()):
                if self._background:
                    await asyncio.wait(self._background)

    async def _watch_queue(self) -> None:
        """Wake the runner a moment after a job is enqueued, until canceled."""
        while True:
            await self._enqueued.wait()
            await asyncio.sleep(BATCH_DELAY_SECONDS)
            self._wakeup.notify()

    async def _finish(self, seconds: float) -> None:
        """Wait at most so long for running jobs; another runner takes over the rest when their leases end."""
        deadline = monotonic() + seconds
        while self._running and (left := deadline - monotonic()) > 0:
            await self._wakeup.sleep(min(left, await self._step()))

    async def _step(self) -> float:
        """A round if there is anything to do; the seconds until there may be something again."""
        try:
            if (idle := await self._idle_seconds()) <= 0:
                await self._round()
        except Exception as error:  # noqa: BLE001 - the runner outlives any failure of the database
            log.warning("jobs wait for the database", error=repr(error))
            return RETRY_SECONDS
        return idle

    async def _idle_seconds(self) -> float:
        """The seconds until there is an outcome to record or a job to take, as far as is known now."""
        if self._ended:
            return 0.0
        capacity = self._shares.capacity(self._jobs)
        if self._stopping or not capacity.tasks:
            return self._poll
        async with self._database.reading() as tx:
            ready_at = await queue.next_at(tx, capacity, besides=self._running)
        return self._poll if ready_at is None else min(self._poll, clock.seconds_until(ready_at))

    async def _round(self) -> bool:
        """Record outcomes and take the next jobs in one transaction; whether anything changed."""
        ended = list(self._ended)
        async with self._database.transaction() as tx:
            locked = await queue.record_outcomes(tx, self._name, ended) if ended else []
            recorded = {outcome.job.id for outcome in ended} - {outcome.job.id for outcome in locked}
            kept = [job for job in self._jobs if job.id not in recorded]
            taken = [] if self._stopping else await self._take(tx, kept)
        del self._ended[: len(ended)]
        for id in recorded:
            del self._running[id]
        for outcome in locked:
            self._spawn(self._record_alone(outcome))
        for job in taken:
            self._start(job)
        return bool(ended or taken) or (not self._stopping and await self._take_alone())

    @property
    def _jobs(self) -> list[Job]:
        return [running.job for running in self._running.values()]

    async def _take(self, tx: Tx, running: list[Job]) -> list[Job]:
        """Lease every job that is ready and may start beside the running ones."""
        taken: list[Job] = []
        while (capacity := self._shares.capacity([*running, *taken])).tasks:
            ready = await queue.lock_ready(tx, capacity, [job.id for job in (*running, *taken)])
            fitting = self._shares.fitting([*running, *taken], ready)
            taken += fitting
            if len(fitting) == len(ready):
                break
        await queue.lease(tx, self._name, self._until, taken)
        return taken

    async def _take_alone(self) -> bool:
        """A job is ready, but its row is locked: wait for it for a while."""
        capacity = self._shares.capacity(self._jobs)
        if not capacity.tasks:
            return False
        try:
            async with self._database.transaction() as tx:
                async with asyncio.timeout(LOCK_WAIT_SECONDS):
                    taken = await queue.wait_for_ready(tx, capacity, self._running)
                    await queue.lease(tx, self._name, self._until, taken)
        except TimeoutError:
            return False
        for job in taken:
            self._start(job)
        return bool(taken)

    async def _record_alone(self, outcome: JobOutcome) -> None:
        """Record an outcome, however long that takes: until then the lease is renewed and the key waits."""
        while True:
            try:
                async with self._database.transaction() as tx:
                    await queue.wait_and_record(tx, self._name, outcome)
            except Exception as error:  # noqa: BLE001 - as in `_step`
                log.warning("jobs wait for the database", error=repr(error))
                await asyncio.sleep(RETRY_SECONDS)
            else:
                break
        del self._running[outcome.job.id]
        self._wakeup.notify()

    @property
    def _until(self) -> str:
        """The end of a lease that is taken or renewed now."""
        return clock.later(self._lease)

    def _start(self, job: Job) -> None:
        running = self._running[job.id] = RunningJob(job, self._tasks[job.task], self._services)
        self._spawn(self._work(running))

    async def _work(self, running: RunningJob) -> None:
        outcome = await running.run()
        self._ended.append(outcome)
        self._wakeup.notify()
        self._processed += 1
        self._failed += outcome.error is not None
        self._count(running.job.task, outcome.verdict)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _keep_leases(self) -> None:
        """Renew the leases well before their end, until canceled."""
        beat = self._lease.total_seconds() / 4
        while True:
            await asyncio.sleep(beat)
            if self._running:
                await self._renew(beat)

    async def _renew(self, seconds: float) -> None:
        """Renew all leases in one statement; only rows that are locked are waited for, each in its own transaction."""
        try:
            async with asyncio.timeout(seconds), self._database.transaction() as tx:
                kept = await queue.renew(tx, self._name, self._running, self._until)
        except Exception as error:  # noqa: BLE001 - as in `_step`
            log.warning("jobs wait for the database", error=repr(error))
        else:
            left = [running for id, running in self._running.items() if id not in kept]
            await asyncio.gather(*(self._renew_alone(running, seconds) for running in left))

    async def _renew_alone(self, running: RunningJob, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds), self._database.transaction() as tx:
                kept = await queue.wait_and_renew(tx, self._name, running.job.id, self._until)
        except Exception as error:  # noqa: BLE001 - as in `_step`
            log.warning("jobs wait for the database", error=repr(error))
        else:
            if not kept:
                running.interrupt()


@asynccontextmanager
async def run_alongside(*works: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Inside, these run concurrently; afterward none does."""
    running = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        left = set(running)
        while left:  # a library may swallow a cancellation (`wait_for` does, before Python 3.12): it is canceled again
            for each in left:
                each.cancel()
            _, left = await asyncio.wait(left, timeout=1)
