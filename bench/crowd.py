"""Fifty concurrent clones: the memory of the server and its git processes, and the latency of other requests."""

import shutil
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from bench import repository
from bench.seed import HOT
from bench.servers import Server
from bench.table import BenchRun
from bench.transfers import address
from bench.wrk import ROUNDS, Measured, measure, middle

CLONES = 50
MAX_MEMORY = 400
MAX_LATENCY = 100
STARTING = 2
"""Seconds until the client programs of all clones have started, several for each."""
OTHERS = 4
"""Connections that list issues during the clones."""


def measured(bench: BenchRun, server: Server) -> Iterator[str]:
    bench.print_step(f"{CLONES} clones at once")
    rounds = [_crowded(bench, server) for _ in range(ROUNDS)]
    most, result = max(held for held, _ in rounds), middle([result for _, result in rounds])
    yield bench.stated(
        f"memory during {CLONES} clones", f"≤ {MAX_MEMORY} MB", f"{most:.0f} MB", within=most <= MAX_MEMORY
    )
    within = result.p99 <= MAX_LATENCY and result.bad == 0
    yield bench.stated(
        f"list 20 issues during {CLONES} clones, p99", f"≤ {MAX_LATENCY} ms", f"{result.p99:.0f} ms", within=within
    )


def _crowded(bench: BenchRun, server: Server) -> tuple[float, Measured]:
    """Return the peak memory of the server and its children, and the measurement of listing issues meanwhile."""
    folder = bench.folder / f"{bench.engine}-crowd"
    folder.mkdir()
    server.wait_until_idle()

    def clone(n: int) -> None:
        # Real clients run on other machines: their CPU use must not slow down the server.
        repository.run(folder, "clone", "--quiet", "--bare", address(server), f"{n}.git", patient=True)

    with watched(server) as seen, ThreadPoolExecutor(CLONES) as people:
        cloning = [people.submit(clone, n) for n in range(CLONES)]
        time.sleep(STARTING)
        result = measure(server, f"/api/v4/projects/{HOT}/issues", OTHERS, bench.seconds)
        for each in cloning:
            each.result()
    shutil.rmtree(folder)
    return max(seen), result


@contextmanager
def watched(server: Server) -> Generator[list[float]]:
    """Sample the memory of the server and its children until the block ends."""
    seen, over = [server.memory()], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            seen.append(server.memory())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield seen
    finally:
        over.set()
        watching.join()
