"""The service that delivers events to hooks, and the clean-up of its log.

Queues of different hooks are delivered at the same time, each in order with one request in flight, so a receiver that
hangs delays only its own hook. Hooks that failed last time share half of the connections: the others always find one.
"""

import asyncio
from collections import deque
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Final

import msgspec

from mujina.adapters.outbound.client import Outbound
from mujina.integrations.deliveries import logs
from mujina.integrations.deliveries.figures import HOOKS
from mujina.integrations.deliveries.operations import Sent, send
from mujina.integrations.deliveries.queue import leases as queues
from mujina.integrations.deliveries.queue.building import BATCH, BuiltBatch, build_batch
from mujina.integrations.deliveries.queue.leases import DeliveryOutcome, LeasedQueue, QueuedDelivery, QueueRelease
from mujina.integrations.deliveries.queue.retries import paused_until, retry_at
from mujina.kernel import clock
from mujina.kernel.db.transaction import contention_key
from mujina.kernel.jobs import wakeups
from mujina.kernel.jobs.runner import Load, run_alongside
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Services

LEASE: Final = timedelta(seconds=2)
"""How long the queues of a process that died wait."""
POLL_SECONDS: Final = 1.0
TAKE_OVER_SECONDS: Final = 0.5
"""How often the other processes look whether the one that builds payloads has stopped."""
AGAIN_SECONDS: Final = 0.1
"""The time after building events in which other processes are not notified of further ones."""
BATCH_DELAY_SECONDS: Final = 0.05
"""The delay of a delivery: events that come together are built together."""
RELEASE_SECONDS: Final = 2.0
"""The time for recording the queues that a stop gives back."""
RETRY_SECONDS: Final = 1.0
"""The pause between two attempts to reach a database that does not answer."""
FAILING_TOGETHER: Final = 8
START_PAUSE_SECONDS: Final = 0.005
"""Hooks that failed last time start in batches of this size with pauses: hundreds at once would delay other requests.
"""
PREFETCHED: Final = 4
"""Deliveries of one hook that are read together."""
MAX_AGE_SECONDS: Final = 0.2
"""How old they may be when they are sent: a hook that is removed or changed gets no more after this time."""
MAX_UNRECORDED: Final = 4
"""Deliveries of one hook whose outcome is not yet durable: a crash repeats no more."""
ANY_FAILURES: Final = 1_000_000


class Deliverer:
    """Every captured event reaches each hook that wants it at least once; queues of a dead process are taken over."""

    name = "Deliveries"

    def __init__(self, services: Services, *, at_once: int = 256, grace: timedelta = timedelta(seconds=20)) -> None:
        self._services = services
        self._database = services.database
        self.at_once, self.queues = at_once, [HOOKS]
        self._processed = self._failed = 0
        self._grace = grace.total_seconds()
        self._name = services.name
        allow = services.settings.outbound_allow
        # Each has threads that resolve names: those of receivers that fail cannot occupy all of them.
        self._outbound, self._failing_outbound = Outbound(allow), Outbound(allow)
        self._events, self._ready, self._recordable = wakeups.Wakeup(), wakeups.Wakeup(), wakeups.Wakeup()
        self._workers: dict[int, asyncio.Task[None]] = {}
        self._failing: set[int] = set()
        self._outcomes: list[tuple[DeliveryOutcome, asyncio.Future[None]]] = []
        self._releases: list[QueueRelease] = []
        self._recorded = asyncio.Event()
        """Set while nothing waits to be recorded."""
        self._recorded.set()
        self._stopping = False
        self._draining = asyncio.Lock()

    async def run(self) -> None:
        """Deliver until `stop`; then let running requests finish, and give the queues back."""
        contention_key.set("hooks")
        listen = wakeups.listen(self._database, self._events, wakeups.HOOK_CHANNEL)
        with wakeups.registered(self._events, wakeups.HOOK_CHANNEL):
            async with run_alongside(listen, self._record(), self._keep_leases(), self._build()):
                while not self._stopping:
                    await self._ready.sleep(await self._take())
                await self._finish()

    def stop(self) -> None:
        """Ask `run` to end."""
        self._stopping = True
        self._ready.notify()

    def load(self) -> Load:
        """The numbers of running and finished deliveries."""
        return Load(len(self._workers), self._processed, self._failed)

    async def drain(self) -> None:
        """Deliver everything that is due now."""
        async with self._draining, run_alongside(self._record(), self._keep_leases()):
            while (await build_batch(self._services)).built:
                pass
            while await self._take() <= 0 or self._workers:
                if self._workers:
                    await asyncio.wait(self._workers.values())
        if self._outcomes or self._releases:
            await self._flush()

    async def _finish(self) -> None:
        if self._workers:
            await asyncio.wait(self._workers.values(), timeout=self._grace)
        for worker in self._workers.values():
            worker.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(RELEASE_SECONDS):
                await self._recorded.wait()

    async def _build(self) -> None:
        """Build the payloads of captured events, until canceled."""
        while True:
            try:
                batch = await build_batch(self._services)
            except Exception as error:  # noqa: BLE001 - the service outlives any failure of the database
                log.warning("hooks wait for the database", error=repr(error))
                batch = BuiltBatch(0, leading=True)
            if not batch.leading:
                await asyncio.sleep(TAKE_OVER_SECONDS)  # events are for the process that builds
                self._events.clear()
            elif batch.built:
                self._ready.notify()
            if batch.leading and batch.built < BATCH:
                await self._events.sleep(AGAIN_SECONDS if batch.built else POLL_SECONDS)
                await asyncio.sleep(BATCH_DELAY_SECONDS)

    async def _take(self) -> float:
        """Start to deliver what is ready; the seconds until more may be."""
        try:
            async with self._database.reading() as tx:
                ready_at = await queues.next_ready(tx, self._workers)
            wait = POLL_SECONDS if ready_at is None else min(POLL_SECONDS, clock.seconds_until(_instant(ready_at)))
            if wait > 0 or len(self._workers) >= self.at_once:
                return wait if wait > 0 else POLL_SECONDS
            if not await self._start():
                return POLL_SECONDS
            await asyncio.sleep(START_PAUSE_SECONDS)
            return 0.0
        except Exception as error:  # noqa: BLE001 - as in `_build`
            log.warning("hooks wait for the database", error=repr(error))
            return RETRY_SECONDS

    async def _start(self) -> bool:
        """Lease ready queues, and a worker for each; whether there were any."""
        free = self.at_once - len(self._workers)
        free_for_failing = min(free, FAILING_TOGETHER, self.at_once // 2 - len(self._failing))
        until = clock.later(LEASE)
        async with self._database.transaction() as tx:
            taken = await queues.take(tx, self._name, until, self._workers, limit=free, max_failures=0)
            if free_for_failing > 0 and len(taken) < free:
                mine = [*self._workers, *(queue.hook_id for queue in taken)]
                limit = min(free - len(taken), free_for_failing)
                taken += await queues.take(tx, self._name, until, mine, limit=limit, max_failures=ANY_FAILURES)
        for queue in taken:
            if queue.failures:
                self._failing.add(queue.hook_id)
            worker = self._workers[queue.hook_id] = asyncio.create_task(self._work(queue))
            worker.add_done_callback(lambda _, hook_id=queue.hook_id: self._ended(hook_id))
        return bool(taken)

    def _ended(self, hook_id: int) -> None:
        del self._workers[hook_id]
        self._failing.discard(hook_id)
        self._ready.notify()

    async def _work(self, queue: LeasedQueue) -> None:
        """Deliver the queue of one hook, and give it back."""
        ready_at: str | None = clock.later(timedelta(seconds=RETRY_SECONDS))
        failing = False
        try:
            ready_at, failing = await self._deliver(queue)
        except Exception as error:  # noqa: BLE001 - as in `_build`
            log.warning("a hook waits", hook=queue.hook_id, error=repr(error))
        self._releases.append(QueueRelease(queue.hook_id, queue.enqueued, ready_at, failing))
        self._wake_recorder()

    async def _deliver(self, queue: LeasedQueue) -> tuple[str | None, bool]:
        """Deliver what waits, in order; when to go on, None if nothing waits, and whether the hook has failed ever since."""
        failing = queue.failures > 0
        failures, after, unrecorded = queue.failures, 0, deque[asyncio.Future[None]]()
        ready_at: str | None = clock.now()
        waiting, read_at = deque[QueuedDelivery](), 0.0
        while not self._stopping:
            if not waiting or monotonic() - read_at > MAX_AGE_SECONDS:
                read_at = monotonic()
                async with self._database.reading() as tx:
                    waiting = deque(await queues.next_deliveries(tx, queue.hook_id, after, PREFETCHED))
            if not waiting:
                ready_at = None
                break
            delivery = waiting.popleft()
            after = delivery.id
            outcome, ready_at = await self._attempt(delivery, failures)
            failures = outcome.failures
            failing = failing and failures > 0
            unrecorded.append(self._store(msgspec.structs.replace(outcome, failing=failing)))
            if ready_at is not None:
                break
            ready_at = clock.now()
            if len(unrecorded) >= MAX_UNRECORDED:
                await unrecorded.popleft()
        if unrecorded:
            await asyncio.wait(unrecorded)
        return ready_at, failing

    async def _attempt(self, delivery: QueuedDelivery, failures: int) -> tuple[DeliveryOutcome, str | None]:
        """Call the hook. The outcome, and when the hook may be called again if that is not now."""
        outbound = self._failing_outbound if failures else self._outbound
        sent = await send(self._services, outbound, delivery) if delivery.wanted else None
        if sent is None:
            return DeliveryOutcome(
                delivery_id=delivery.id,
                hook_id=delivery.hook_id,
                verdict="dropped",
                attempt=None,
                failures=failures,
                disabled_until=None,
            ), None
        self._processed += 1
        self._failed += sent.attempt.failed
        return outcome_of(delivery, sent, failures)

    def _store(self, outcome: DeliveryOutcome) -> asyncio.Future[None]:
        """Durable soon: many outcomes share a transaction."""
        stored = asyncio.get_running_loop().create_future()
        self._outcomes.append((outcome, stored))
        self._wake_recorder()
        return stored

    def _wake_recorder(self) -> None:
        self._recorded.clear()
        self._recordable.notify()

    async def _record(self) -> None:
        """Record outcomes and give queues back, until canceled."""
        while True:
            await self._recordable.wait()
            if not await self._flush():
                await asyncio.sleep(RETRY_SECONDS)
                self._recordable.notify()

    async def _flush(self) -> bool:
        outcomes, releases = self._outcomes[:], self._releases[:]
        try:
            async with self._database.transaction() as tx:
                await queues.record_outcomes(tx, [outcome for outcome, _ in outcomes])
                await queues.release(tx, self._name, releases)
        except Exception as error:  # noqa: BLE001 - as in `_build`
            log.warning("hooks wait for the database", error=repr(error))
            return False
        del self._outcomes[: len(outcomes)], self._releases[: len(releases)]
        for _, stored in outcomes:
            if not stored.done():
                stored.set_result(None)
        if not (self._outcomes or self._releases):
            self._recorded.set()
        return True

    async def _keep_leases(self) -> None:
        """Renew the leases well before their end; a worker whose hook is gone, or taken over, ends."""
        beat = LEASE.total_seconds() / 3
        while True:
            await asyncio.sleep(beat)
            if mine := list(self._workers):
                with suppress(Exception):  # tried again before the lease ends
                    async with asyncio.timeout(beat), self._database.transaction() as tx:
                        kept = await queues.renew(tx, self._name, clock.later(LEASE), mine)
                    for hook_id in set(mine) - kept:
                        if hook_id in self._workers:
                            self._workers[hook_id].cancel()


def outcome_of(delivery: QueuedDelivery, sent: Sent, failures: int) -> tuple[DeliveryOutcome, str | None]:
    """Decides after one call: the outcome, and when the hook may be called again if that is not now."""
    attempt = sent.attempt
    failures, recovered = failures + 1 if attempt.failed else 0, failures > 0
    pause = paused_until(failures)
    again = retry_at(delivery.attempts + 1) if sent.retriable else None
    verdict = "retried" if again is not None else "delivered" if attempt.answered else "dropped"
    outcome = DeliveryOutcome(
        delivery_id=delivery.id, hook_id=delivery.hook_id, verdict=verdict, attempt=attempt, failures=failures,
        disabled_until=pause, recovered=recovered,
    )  # fmt: skip
    return outcome, max(filter(None, (again, pause)), default=None)


def _instant(moment: str) -> str:
    """A stored time, or the day that never comes, as an instant."""
    return moment if "T" in moment else f"{moment}T00:00:00.000Z"


@task("hooks.sweep", every=timedelta(hours=1))
async def sweep_deliveries(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled task has no key
    """Delete the log of more than seven days ago; what has waited for longer lapses."""
    while True:
        async with run.database.transaction() as tx:
            if not await logs.sweep(tx):
                break
