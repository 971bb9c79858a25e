"""The long measurements of hooks: sick receivers beside a healthy one, and a long queue over a restart."""

import asyncio
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from mujina.kernel import clock
from mujina.kernel.db.connect import connect
from tests.soak.receivers import Receivers
from tests.soak.servers import HookServer

SICK_OF_EACH_KIND = 50
HEALTHY_PER_SECOND, SICK_PER_SECOND = 50, 50
KILL_EVERY_SECONDS = 10
READS_PER_SECOND, READ_SECONDS, ROUNDS = 50, 10, 5
CLIENTS = 16
PATIENCE_SECONDS = 120
HOOKS_OF_QUEUE = 10


class Figures(NamedTuple):
    engine: str
    measured: str
    found: str
    required: str

    def __str__(self) -> str:
        return f"| {self.engine} | {self.measured} | {self.found} | {self.required} |"


def measure(place: Path, url: str, engine: str, *, others: int, seconds: int) -> list[Figures]:
    """Events for one healthy and 150 sick receivers while workers are killed; then reads, with and without the sick."""
    server = HookServer(place, url, others=others)
    server.start()
    try:
        with Receivers() as receivers:
            healthy = server.project_with_hook("healthy", receivers.healthy())
            kinds = (receivers.hanging, receivers.dripping, receivers.refusing)
            sick = [
                server.project_with_hook(f"sick-{n}", kinds[n % 3]()) for n in range(SICK_OF_EACH_KIND * len(kinds))
            ]
            created = _load(server, healthy, sick, seconds)
            _wait(lambda: {event.issue_id for event in receivers.received} >= created.keys())
            rows = _delivery_figures(engine, receivers, created)
            return [*rows, _read_figures(engine, server, healthy, sick)]
    finally:
        server.kill()


def _load(server: HookServer, healthy: int, sick: list[int], seconds: int) -> dict[int, float]:
    """Create issues at a steady rate, and kill all workers now and then. The healthy ones: id → when it was answered."""
    created: dict[int, float] = {}
    started = time.monotonic()
    stopped = threading.Event()

    def create(project: int) -> None:
        issue = server.ask("POST", f"/projects/{project}/issues", title="x")
        if project == healthy:
            created[issue["id"]] = time.time()

    def kill() -> None:
        while not stopped.wait(KILL_EVERY_SECONDS):
            server.kill_workers()

    killer = threading.Thread(target=kill)
    killer.start()
    with ThreadPoolExecutor(CLIENTS) as clients:
        for number in range(seconds * HEALTHY_PER_SECOND):
            time.sleep(max(0.0, started + number / HEALTHY_PER_SECOND - time.monotonic()))
            clients.submit(create, healthy)
            if number * SICK_PER_SECOND // HEALTHY_PER_SECOND != (number - 1) * SICK_PER_SECOND // HEALTHY_PER_SECOND:
                clients.submit(create, sick[number % len(sick)])
    stopped.set()
    killer.join()
    return created


def _delivery_figures(engine: str, receivers: Receivers, created: dict[int, float]) -> list[Figures]:
    first: dict[int, float] = {}
    for event in receivers.received:
        first.setdefault(event.issue_id, event.at)
    delays = sorted(first[id_] - at for id_, at in created.items() if id_ in first)
    repeats = len(receivers.received) - len({event.key for event in receivers.received})
    lost = len(created.keys() - first.keys())
    return [
        Figures(engine, f"events of the healthy receiver lost, of {len(created)}", str(lost), "0"),
        Figures(engine, "delivered twice", f"{100 * repeats / max(1, len(created)):.2f} %", "< 0.5 %"),
        Figures(engine, "longest delay after the answer", f"{delays[-1] if delays else 0:.1f} s", "5 s"),
    ]


def _read_figures(engine: str, server: HookServer, healthy: int, sick: list[int]) -> Figures:
    """The p99 of reading an issue, in turn without and with events for the sick receivers."""
    pairs = [(_read_p99(server, healthy, []), _read_p99(server, healthy, sick)) for _ in range(ROUNDS)]
    without, beside = (statistics.median(side) * 1000 for side in zip(*pairs, strict=True))
    allowed = max(without * 1.1, without + 3)
    return Figures(
        engine, "p99 of reading an issue, median of five rounds, without and with sick receivers",
        f"{without:.1f} ms, {beside:.1f} ms", f"at most {allowed:.1f} ms",
    )  # fmt: skip


def _read_p99(server: HookServer, project: int, sick: list[int]) -> float:
    took: list[float] = []

    def read() -> None:
        started = time.perf_counter()
        server.ask("GET", f"/projects/{project}/issues/1")
        took.append(time.perf_counter() - started)

    began = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as clients:
        for number in range(READS_PER_SECOND * READ_SECONDS):
            time.sleep(max(0.0, began + number / READS_PER_SECOND - time.monotonic()))
            clients.submit(read)
            if sick and number % 5 == 0:
                clients.submit(server.ask, "POST", f"/projects/{sick[number % len(sick)]}/issues", title="x")
    return statistics.quantiles(took, n=100)[98]


def drain(place: Path, url: str, engine: str, *, others: int, queued: int) -> list[Figures]:
    """Deliveries that wait while the server is stopped: all of them arrive, also over another restart."""
    server = HookServer(place, url, others=others)
    server.start()
    try:
        with Receivers() as receivers:
            port = receivers.healthy()
            for number in range(HOOKS_OF_QUEUE):
                server.project_with_hook(f"queue-{number}", port)
            server.stop()
            asyncio.run(_enqueue(url, queued))
            server.start()
            started = time.monotonic()
            _wait(lambda: len(receivers.received) >= queued // 4, queued)
            server.stop()
            server.start()
            _wait(lambda: len({(event.key, event.issue_id) for event in receivers.received}) >= queued, queued)
            rate = queued / (time.monotonic() - started)
            repeats = len(receivers.received) - queued
    finally:
        server.kill()
    return [
        Figures(engine, f"{queued} queued deliveries over two restarts, each second", f"{rate:.0f}", "≥ 200"),
        Figures(engine, "delivered twice of these", str(repeats), ""),
    ]


async def _enqueue(url: str, queued: int) -> None:
    """Fill the queues, as if their receivers had been away: each delivery has an id of its own in its body."""
    database = connect(url)
    await database.open()
    try:
        for start in range(0, queued, 1000):
            async with database.transaction() as tx:
                hook_ids = await tx.values("SELECT h.id FROM hooks h ORDER BY h.id")
                for number in range(start, min(start + 1000, queued)):
                    payload_id = await tx.value(
                        """INSERT INTO hook_payloads (key, event, trigger, flag, project_id, body, created_at)
                           SELECT :key, 'Issue Hook', 'issue_hooks', 'issues_events', h.project_id, :body, :now
                           FROM hooks h WHERE h.id = :hook_id RETURNING id""",
                        key=f"key-{number}", body=f'{{"object_attributes":{{"id":{number + 1}}}}}', now=clock.now(),
                        hook_id=hook_ids[number % len(hook_ids)],
                    )  # fmt: skip
                    await tx.run(
                        """INSERT INTO hook_deliveries (hook_id, payload_id, created_at)
                           VALUES (:hook_id, :payload_id, :now)""",
                        hook_id=hook_ids[number % len(hook_ids)], payload_id=payload_id, now=clock.now(),
                    )  # fmt: skip
        async with database.transaction() as tx:
            await tx.run(
                "INSERT INTO hook_queues (hook_id, ready_at, enqueued) SELECT h.id, :now, 1 FROM hooks h WHERE TRUE "
                "ON CONFLICT (hook_id) DO UPDATE SET ready_at = excluded.ready_at",
                now=clock.now(),
            )
    finally:
        await database.close()


def _wait(reached: Callable[[], bool], queued: int = 0) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS + queued / 20
    while not reached() and time.monotonic() < deadline:
        time.sleep(0.2)
