"""`kill -9` at any moment: what was committed is done, each key in order, with few repeats."""

import asyncio
from collections import Counter
from itertools import groupby
from random import uniform

import pytest

from mujina.kernel import clock
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.services import Services
from tests.harness import fork_server
from tests.harness.fork_server import ForkedProgram
from tests.kernel.jobs import post_office
from tests.kernel.jobs.post_office import KEYS, deliver, read, runner_file
from tests.kernel.jobs.watching import at_work, jobs, until

KILLS = 6
PROCESSES = 2


@pytest.mark.long
def test_nothing_committed_is_lost_and_each_key_keeps_its_order(services, tell, database_url, tmp_path, thorough):
    kills = KILLS if thorough else KILLS // 3

    async def story():
        crew = Crew(services, database_url)
        for n in range(kills):
            await crew.until_more_is_delivered()
            await asyncio.sleep(uniform(0, 0.3))
            crew.kill(n % PROCESSES)
            crew.start(n % PROCESSES)
        for number in range(PROCESSES):
            crew.kill(number)
        async with at_work(Runner(services, [deliver])):
            await crew.until_nothing_waits()
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
    assert repeats <= (kills + PROCESSES) * len(KEYS)


class Crew:
    """Processes that send and deliver. The leases of those that were killed end at once, as they would some time later."""

    def __init__(self, services: Services, url: str) -> None:
        self._services, self._url, self._data = services, url, services.settings.data
        self._processes = [self._started() for _ in range(PROCESSES)]
        self._dead: list[str] = []

    def _started(self) -> ForkedProgram:
        return fork_server.start(post_office.__name__, "work", self._url, str(self._data))

    def start(self, number: int) -> None:
        self._processes[number] = self._started()

    def kill(self, number: int) -> None:
        process = self._processes[number]
        process.kill()
        process.wait()
        if (name := runner_file(self._data, process.pid)).exists():
            self._dead.append(name.read_text())

    async def until_more_is_delivered(self) -> None:
        before = len(read(self._data / "delivered"))

        async def more() -> bool:
            await self._end_leases()
            return len(read(self._data / "delivered")) > before

        await until(more)

    async def until_nothing_waits(self) -> None:
        async def empty() -> bool:
            await self._end_leases()
            return await jobs(self._services) == {}

        await until(empty)

    async def _end_leases(self) -> None:
        """Again and again: PostgreSQL may commit what a dead process sent a moment after its end."""
        now = clock.now()
        if any(job.leased_by in self._dead and job.ready_at > now for job in (await jobs(self._services)).values()):
            async with self._services.database.transaction() as tx:
                await tx.run("UPDATE jobs SET ready_at = :now WHERE leased_by IN :dead", now=now, dead=self._dead)
