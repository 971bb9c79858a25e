"""How many requests of one project work with its repository at once."""

import asyncio

import pytest

from mujina.kernel.concurrency import repository_slots
from mujina.kernel.concurrency.repository_slots import PER_PROJECT, repository_slot
from mujina.kernel.errors import Unavailable


def test_a_crowd_of_one_project_waits_without_a_connection_and_holds_up_no_other(monkeypatch):
    async def story():
        entered, leave = list[int](), asyncio.Event()

        async def work(project_id):
            async with repository_slot(project_id):
                entered.append(project_id)
                await leave.wait()

        crowd = [asyncio.create_task(work(1)) for _ in range(9)]
        await asyncio.sleep(0)
        crowd += [asyncio.create_task(work(2))]
        await asyncio.sleep(0)
        assert entered == [1] * PER_PROJECT + [2]
        monkeypatch.setattr(repository_slots, "MAX_WAIT_SECONDS", 0.01)
        with pytest.raises(Unavailable):
            await work(1)
        leave.set()
        await asyncio.gather(*crowd)
        assert sorted(entered) == [1] * 9 + [2]

    asyncio.run(story())
