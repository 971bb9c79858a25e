"""Slots are shared between users and kinds of work: nobody waits for the long work of another person."""

import asyncio
from collections import Counter

from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.tasks import Run, task
from tests.kernel.jobs.watching import at_work, until

ADA, BEN, CLEO, DAN = 1, 2, 3, 4


class Workshop:
    """Tasks whose jobs run until they are let go."""

    def __init__(self, services, *names, long=()):
        self.services = services
        self.running = Counter()
        self.finished = asyncio.Event()
        self.tasks = [task(name, long=name in long)(self.work(name)) for name in names]

    def work(self, name):
        async def wait(run: Run, _key: str) -> None:
            self.running[name, run.owner_id] += 1
            await self.finished.wait()

        return wait

    async def give(self, name, owner_id, count):
        async with self.services.database.transaction() as tx:
            for number in range(count):
                await enqueue(tx, name, f"{owner_id}-{number:03d}", owner_id=owner_id)

    async def until_running(self, name, owner_id):
        async def runs():
            return self.running[name, owner_id] > 0

        await until(runs)


def test_short_work_never_waits_behind_long_work(services, tell):
    async def story():
        shop = Workshop(services, "ships.build", "bridges.build", "tea.brew", long=("ships.build", "bridges.build"))
        async with at_work(Runner(services, shop.tasks)):
            for owner_id in range(1, 30):
                await shop.give("ships.build", owner_id, 5)
                await shop.give("bridges.build", owner_id, 5)
            await shop.until_running("ships.build", ADA)
            await shop.give("tea.brew", ADA, 3)
            await shop.until_running("tea.brew", ADA)
            shop.finished.set()

    tell(story())


def test_the_long_work_of_one_person_leaves_slots_to_the_next(services, tell):
    async def story():
        shop = Workshop(services, "ships.build", long=("ships.build",))
        async with at_work(Runner(services, shop.tasks)):
            for owner_id in (ADA, BEN, CLEO, DAN):
                await shop.give("ships.build", owner_id, 40)
                await shop.until_running("ships.build", owner_id)
            assert [shop.running["ships.build", owner_id] for owner_id in (ADA, BEN, CLEO, DAN)] == [4, 2, 1, 1]
            shop.finished.set()

    tell(story())


def test_one_kind_of_work_leaves_slots_to_the_others(services, tell):
    async def story():
        shop = Workshop(services, "tea.brew", "mail.carry", "floors.sweep")
        async with at_work(Runner(services, shop.tasks)):
            for owner_id in range(1, 60):
                await shop.give("tea.brew", owner_id, 2)
            await shop.until_running("tea.brew", ADA)
            await shop.give("mail.carry", 0, 50)
            await shop.until_running("mail.carry", 0)
            await shop.give("floors.sweep", 0, 1)
            await shop.until_running("floors.sweep", 0)
            shop.finished.set()

    tell(story())


def test_a_free_slot_goes_to_those_who_wait_and_not_to_those_who_have_had_their_share(services, tell):
    """Work of one person that was enqueued long before does not hide that of another."""

    async def story():
        shop = Workshop(services, "tea.brew")
        await shop.give("tea.brew", ADA, 300)
        await shop.give("tea.brew", BEN, 1)
        async with at_work(Runner(services, shop.tasks)):
            await shop.until_running("tea.brew", BEN)
            shop.finished.set()

    tell(story())
