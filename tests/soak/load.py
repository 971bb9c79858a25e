"""One healthy receiver beside 150 sick ones: what the healthy one gets, and what reading an issue takes."""

import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.soak import database
from tests.soak.figures import Figure, progress
from tests.soak.receivers import Receivers
from tests.soak.servers import ApiClient, HookServer

SICK_OF_EACH_KIND = 50
HEALTHY_PER_SECOND, SICK_PER_SECOND = 50, 50
KILL_EVERY_SECONDS = 4
READS_PER_SECOND = 50
CLIENTS = 16
MAX_DELAY_SECONDS = 5.0
MAX_REPEATS = 0.005
PATIENCE_SECONDS = 30
"""For what is still on its way when the load ends."""
HANGING_SECONDS = 10.5
"""A receiver that hangs or drips is given up by then."""


def measure(place: Path, url: str, engine: str, *, others: int, seconds: int, rounds: int) -> list[Figure]:
    """Events for the healthy and the sick receivers while workers are killed; then reads, with and without the sick."""
    server = HookServer(place, url, others=others)
    server.start()
    try:
        with Receivers() as receivers:
            healthy = server.project_with_hook("healthy", receivers.healthy())
            kinds = (receivers.hanging, receivers.dripping, receivers.refusing)
            sick = [
                server.project_with_hook(f"sick-{n}", kinds[n % 3]()) for n in range(SICK_OF_EACH_KIND * len(kinds))
            ]
            quiet = [server.project(f"quiet-{n}") for n in range(len(sick))]
            progress(engine, f"{1 + len(sick)} projects with a hook each, {1 + others} processes deliver")
            created = _load(engine, server, receivers, healthy, sick, seconds)
            _wait(lambda: {event.issue_id for event in receivers.received} >= created.keys())
            figures = _delivery_figures(engine, receivers, created)
            for figure in figures:
                progress(engine, f"{figure.measured}: {figure.found}")
            return [*figures, _read_figure(engine, server, url, healthy, sick, quiet, rounds, max(2, seconds // 10))]
    finally:
        server.kill()


def _load(
    engine: str, server: HookServer, receivers: Receivers, healthy: int, sick: list[int], seconds: int
) -> dict[int, float]:
    """Create issues at a steady rate while processes are killed. The healthy ones: id → when it was answered."""
    created: dict[int, float] = {}
    stopped = threading.Event()

    def create(project: int) -> None:
        issue = server.ask("POST", f"/projects/{project}/issues", title="x")
        if project == healthy:
            created[issue["id"]] = time.time()

    def kill() -> None:
        number = 0
        while not stopped.wait(KILL_EVERY_SECONDS):
            server.kill_worker(number)
            number += 1

    killer = threading.Thread(target=kill)
    killer.start()
    sent: list[Future[None]] = []
    started = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as clients:
        for number in range(seconds * HEALTHY_PER_SECOND):
            time.sleep(max(0.0, started + number / HEALTHY_PER_SECOND - time.monotonic()))
            sent.append(clients.submit(create, healthy))
            first, end = (n * SICK_PER_SECOND // HEALTHY_PER_SECOND for n in (number, number + 1))
            sent += [clients.submit(create, sick[each % len(sick)]) for each in range(first, end)]
            if number % (10 * HEALTHY_PER_SECOND) == 0:
                progress(engine, f"{len(created)} events, {len(receivers.received)} received, {server.kills} kills")
    stopped.set()
    killer.join()
    for each in sent:
        each.result()
    took = time.monotonic() - started
    progress(engine, f"{len(sent)} events in {took:.0f} s, {len(sent) / took:.0f} a second, {server.kills} kills")
    return created


def _delivery_figures(engine: str, receivers: Receivers, created: dict[int, float]) -> list[Figure]:
    received = receivers.received[:]
    first: dict[int, float] = {}
    for event in received:
        first.setdefault(event.issue_id, event.at)
    delays = sorted(first[id_] - at for id_, at in created.items() if id_ in first) or [float("inf")]
    repeats = (len(received) - len({event.key for event in received})) / max(1, len(created))
    lost = len(created.keys() - first.keys())
    return [
        Figure(engine, f"events of the healthy receiver lost, of {len(created)}", str(lost), "0", lost == 0),
        Figure(engine, "delivered twice", f"{100 * repeats:.2f} %", "< 0.5 %", repeats < MAX_REPEATS),
        Figure(
            engine, "longest delay after the answer (median)", f"{delays[-1]:.1f} s ({statistics.median(delays):.2f} s)",
            f"{MAX_DELAY_SECONDS:g} s", delays[-1] <= MAX_DELAY_SECONDS,
        ),
        Figure(engine, "calls of sick receivers meanwhile", str(receivers.sick_calls), "> 0", receivers.sick_calls > 0),
    ]  # fmt: skip


def _read_figure(
    engine: str,
    server: HookServer,
    url: str,
    healthy: int,
    sick: list[int],
    quiet: list[int],
    rounds: int,
    seconds: int,
) -> Figure:
    """The p99 of reading an issue beside events, in turn of projects without hooks and of those of the sick receivers."""
    sides: list[tuple[float, float]] = []
    with ProcessPoolExecutor(1, get_context("spawn")) as reader:
        reader.submit(_read_steadily, server.client(), "", 0).result()  # has imported what it needs
        for number in range(rounds):
            database.pause(url, healthy)
            time.sleep(HANGING_SECONDS)
            without = _read_p99(reader, server, healthy, quiet, seconds)
            database.resume(url)
            time.sleep(HANGING_SECONDS)
            beside = _read_p99(reader, server, healthy, sick, seconds)
            sides.append((without, beside))
            progress(
                engine, f"round {number + 1} of reads: p99 {1000 * without:.1f}, with the sick {1000 * beside:.1f} ms"
            )
    without, beside = (statistics.median(side) * 1000 for side in zip(*sides, strict=True))
    allowed = max(without * 1.1, without + 3)
    return Figure(
        engine, f"p99 of reading an issue, median of {rounds} rounds, without and with sick receivers",
        f"{without:.1f} ms, {beside:.1f} ms", f"at most {allowed:.1f} ms", beside <= allowed,
    )  # fmt: skip


def _read_p99(reader: ProcessPoolExecutor, server: HookServer, project: int, others: list[int], seconds: int) -> float:
    """Reads at a steady rate, beside as many events in these projects as the load had."""
    with ThreadPoolExecutor(CLIENTS) as writers:
        reading = reader.submit(_read_steadily, server.client(), f"/projects/{project}/issues/1", seconds)
        began = time.monotonic()
        for number in range(READS_PER_SECOND * seconds):
            time.sleep(max(0.0, began + number / READS_PER_SECOND - time.monotonic()))
            writers.submit(server.ask, "POST", f"/projects/{others[number % len(others)]}/issues", title="x")
        return statistics.quantiles(reading.result(), n=100)[98]


def _read_steadily(client: ApiClient, path: str, seconds: int) -> list[float]:
    """What each read took, in a process of its own: receivers and writers hold up none."""
    took: list[float] = []

    def read() -> None:
        started = time.perf_counter()
        client.ask("GET", path)
        took.append(time.perf_counter() - started)

    began = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as readers:
        for number in range(READS_PER_SECOND * seconds):
            time.sleep(max(0.0, began + number / READS_PER_SECOND - time.monotonic()))
            readers.submit(read)
    client.close()
    return took


def _wait(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not reached() and time.monotonic() < deadline:
        time.sleep(0.2)
