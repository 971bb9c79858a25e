"""Rows of fifty clones at once: what the server and its git processes hold, and what others wait meanwhile."""

import shutil
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from bench import repository
from bench.seed import HOT
from bench.servers import Server
from bench.table import Ground
from bench.transfers import address
from bench.wrk import ROUNDS, Measured, measure, middle

CLONES = 50
MAX_MEMORY = 400
MOST_WAIT = 200
STARTING = 2
"""Seconds in which the programs of all clones have started, several for each: on other machines, were there any."""
OTHERS = 4
"""Connections that list issues meanwhile."""


def measured(ground: Ground, server: Server) -> Iterator[str]:
    ground.say(f"{CLONES} clones at once")
    rounds = [_crowded(ground, server) for _ in range(ROUNDS)]
    most, told = max(held for held, _ in rounds), middle([told for _, told in rounds])
    yield ground.stated(
        f"memory during {CLONES} clones", f"≤ {MAX_MEMORY} MB", f"{most:.0f} MB", within=most <= MAX_MEMORY
    )
    within = told.p99 <= MOST_WAIT and told.bad == 0
    yield ground.stated(
        f"list 20 issues during {CLONES} clones, p99", f"≤ {MOST_WAIT} ms", f"{told.p99:.0f} ms", within=within
    )


def _crowded(ground: Ground, server: Server) -> tuple[float, Measured]:
    """What the server and its children held at the most, and how issues were listed meanwhile."""
    folder = ground.folder / f"{ground.engine}-crowd"
    folder.mkdir()
    server.rest()

    def clone(n: int) -> None:
        # They would be other machines: what they compute is not to take the server's turn.
        repository.run(folder, "clone", "--quiet", "--bare", address(server), f"{n}.git", patient=True)

    with _watched(server) as seen, ThreadPoolExecutor(CLONES) as people:
        cloning = [people.submit(clone, n) for n in range(CLONES)]
        time.sleep(STARTING)
        told = measure(server, f"/api/v4/projects/{HOT}/issues", OTHERS, ground.seconds)
        for each in cloning:
            each.result()
    shutil.rmtree(folder)
    return max(seen), told


@contextmanager
def _watched(server: Server) -> Generator[list[float]]:
    """What the server and its children hold, again and again, until the block is left."""
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
