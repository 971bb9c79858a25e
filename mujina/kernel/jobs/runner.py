"""Runs what is wanted: different keys at once, each key in order, until told to stop.

The runner takes turns: each is one transaction that writes how jobs ended and takes the next, so that many share a
commit. Only a row that others have locked is waited for alone.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from secrets import token_hex
from time import monotonic
from typing import Any

from mujina.kernel import clock
from mujina.kernel.jobs import queue, schedules, wakes
from mujina.kernel.jobs.held import Held
from mujina.kernel.jobs.queue import Job, Outcome
from mujina.kernel.jobs.tasks import Task
from mujina.kernel.logs import log
from mujina.kernel.services import Services

PATIENCE_SECONDS = 1.0
"""How long one waits for a row that others have locked, before looking at the rest again."""

BREATH_SECONDS = 0.05
"""From a want to the run: whoever wants it is answered first, and wants that come together are taken together."""

RETRY_SECONDS = 1.0
"""Between two attempts to reach a database that does not answer."""

LAST_SECONDS = 2.0
"""For writing how jobs ended that were cut off at a stop."""

Count = Callable[[str, str], None]
"""Told the task and the outcome of each run: done, failed, parked, released."""


class Runner:
    """Every wanted job of these tasks runs at least once; one whose runner died is taken over when its lease ends."""

    def __init__(
        self,
        services: Services,
        tasks: Collection[Task],
        *,
        at_once: int = 16,
        poll: timedelta = timedelta(seconds=5),
        lease: timedelta = timedelta(seconds=60),
        grace: timedelta = timedelta(seconds=20),
        count: Count = lambda _task, _outcome: None,
    ) -> None:
        self._services = services
        self._database = services.database
        self._tasks = {task.name: task for task in tasks}
        self._at_once = at_once
        self._poll = poll.total_seconds()
        self._lease = lease
        self._grace = grace.total_seconds()
        self._count = count
        self._name = token_hex(8)
        self._bell = wakes.Bell()
        self._wants = wakes.Bell()
        self._stopping = False
        self._draining = asyncio.Lock()
        self._held: dict[int, Held] = {}
        self._ended: list[Outcome] = []
        self._works: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Work until `stop`: then nothing more is taken, what runs may finish in `grace`, and the rest is released."""
        listen = wakes.listen(self._database, self._wants)
        keep_time = schedules.keep_time(self._database, self._tasks.values())
        with wakes.hung(self._wants):
            async with _beside(listen, self._heed(), keep_time, self._keep_leases()):
                while not self._stopping:
                    await self._bell.sleep(await self._step())
                await self._finish(self._grace)
                for held in self._held.values():
                    held.cut_off()
                await self._finish(LAST_SECONDS)

    def stop(self) -> None:
        """Ask `run` to come to its end."""
        self._stopping = True
        self._bell.ring()

    async def drain(self) -> None:
        """Everything that is due has run when this returns, and whatever that wanted in turn; schedules rest."""
        async with self._draining, _beside(self._keep_leases()):
            while self._works or (await self._idle_seconds() <= 0 and await self._turn()):
                if self._works:
                    await asyncio.wait(self._works)

    async def _heed(self) -> None:
        """Look for what somebody wanted a moment ago, until cancelled."""
        while True:
            await self._wants.wait()
            await asyncio.sleep(BREATH_SECONDS)
            self._bell.ring()

    async def _finish(self, seconds: float) -> None:
        """See what is held to its end, for so long; what is left is taken over when its lease ends."""
        deadline = monotonic() + seconds
        while self._held and (left := deadline - monotonic()) > 0:
            await self._bell.sleep(min(left, await self._step()))

    async def _step(self) -> float:
        """A turn if there is anything to do; for how many seconds there will be nothing, unless somebody rings."""
        try:
            if (idle := await self._idle_seconds()) <= 0:
                await self._turn()
        except Exception as error:  # noqa: BLE001 - the runner outlives whatever the database suffers
            log.warning("jobs wait for the database", error=repr(error))
            return RETRY_SECONDS
        return idle

    async def _idle_seconds(self) -> float:
        """How long there is nothing to write or to take, as far as is known now."""
        if self._ended:
            return 0.0
        if self._stopping or len(self._held) >= self._at_once:
            return self._poll
        async with self._database.reading() as tx:
            ready_at = await queue.next_at(tx, self._tasks, besides=self._held)
        return self._poll if ready_at is None else min(self._poll, clock.seconds_until(ready_at))

    async def _turn(self) -> bool:
        """Write how jobs ended and take the next, in one transaction; whether anything moved."""
        ended = list(self._ended)
        async with self._database.transaction() as tx:
            busy = await queue.settle(tx, self._name, ended) if ended else []
            settled = {outcome.job.id for outcome in ended} - {outcome.job.id for outcome in busy}
            besides = self._held.keys() - settled
            room = 0 if self._stopping else self._at_once - len(besides)
            taken = await queue.take(tx, self._name, self._tasks, room, self._until, besides) if room > 0 else []
        del self._ended[: len(ended)]
        for id in settled:
            del self._held[id]
        for outcome in busy:
            self._spawn(self._settle_alone(outcome))
        for job in taken:
            self._start(job)
        return bool(ended or taken) or (room > 0 and await self._take_alone())

    async def _take_alone(self) -> bool:
        """Something is ready, but its row is locked: wait for it, not for ever."""
        try:
            async with self._database.transaction() as tx:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    taken = await queue.wait_and_take(tx, self._name, self._tasks, self._until, self._held)
        except TimeoutError:
            return False
        for job in taken:
            self._start(job)
        return bool(taken)

    async def _settle_alone(self, outcome: Outcome) -> None:
        """Write how a job ended, however long that takes: until then its lease is kept and its key waits."""
        while True:
            try:
                async with self._database.transaction() as tx:
                    await queue.wait_and_settle(tx, self._name, outcome)
            except Exception as error:  # noqa: BLE001 - as in `_step`
                log.warning("jobs wait for the database", error=repr(error))
                await asyncio.sleep(RETRY_SECONDS)
            else:
                break
        del self._held[outcome.job.id]
        self._bell.ring()

    @property
    def _until(self) -> str:
        """When a lease ends that is taken or extended now."""
        return clock.later(self._lease)

    def _start(self, job: Job) -> None:
        held = self._held[job.id] = Held(job, self._tasks[job.task], self._services)
        self._spawn(self._work(held))

    async def _work(self, held: Held) -> None:
        outcome = await held.run()
        self._ended.append(outcome)
        self._bell.ring()
        self._count(held.job.task, outcome.verdict)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._works.add(task)
        task.add_done_callback(self._works.discard)

    async def _keep_leases(self) -> None:
        """Extend each lease well before its end, until cancelled."""
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            await asyncio.gather(*map(self._renew, list(self._held.values())))

    async def _renew(self, held: Held) -> None:
        try:
            async with self._database.transaction() as tx:
                async with asyncio.timeout(self._lease.total_seconds() / 3):
                    kept = await queue.renew(tx, self._name, held.job, self._until)
        except Exception as error:  # noqa: BLE001 - as in `_step`
            log.warning("jobs wait for the database", error=repr(error))
        else:
            if not kept:
                held.cut_off()


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
