"""`kill -9` at any moment: what was committed is done, each key in order, with few repeats."""

import asyncio
from collections import Counter
from itertools import groupby
from pathlib import Path
from random import uniform

import pytest

from mujina.kernel.jobs.runner import Runner
from tests.harness import fork_server
from tests.harness.fork_server import ForkedProgram
from tests.kernel.jobs import post_office
from tests.kernel.jobs.post_office import KEYS, deliver, read
from tests.kernel.jobs.watching import at_work, until, until_empty

KILLS = 6
PROCESSES = 2


@pytest.mark.long
def test_nothing_committed_is_lost_and_each_key_keeps_its_order(services, tell, database_url, tmp_path):
    async def story():
        workers = [_start(database_url, tmp_path) for _ in range(PROCESSES)]
        for n in range(KILLS):
            await _until_there_are_more(tmp_path / "delivered")
            await asyncio.sleep(uniform(0, 0.3))
            workers[n % PROCESSES].kill()
            workers[n % PROCESSES].wait()
            workers[n % PROCESSES] = _start(database_url, tmp_path)
        for worker in workers:
            worker.kill()
            worker.wait()
        async with at_work(Runner(services, [deliver])):
            await until_empty(services)
        async with services.database.reading() as tx:
            assert await tx.value("SELECT count(*) FROM parcels WHERE delivered = 0") == 0

    tell(story())
    committed, delivered = read(tmp_path / "committed"), read(tmp_path / "delivered")
    assert set(committed) <= set(delivered)
    for key in KEYS:
        numbers = [n for at, n in delivered if at == key]
        assert [n for n, _ in groupby(numbers)] == list(range(1, max(numbers) + 1))
    # A kill can repeat, of each key, only the parcel that was handed over and not yet marked.
    repeats = Counter(delivered).total() - len(set(delivered))
    assert repeats <= (KILLS + PROCESSES) * len(KEYS)


def _start(url: str, data: Path) -> ForkedProgram:
    return fork_server.start(post_office.__name__, "work", url, str(data))


async def _until_there_are_more(path: Path) -> None:
    before = len(read(path))

    async def more() -> bool:
        return len(read(path)) > before

    await until(more)
