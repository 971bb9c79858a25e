"""A crowd of clones takes turns."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from mujina.git import turns
from mujina.git.turns import AT_ONCE, Busy, Turns
from mujina.kernel.actor import ANONYMOUS, Actor

ALONE = AT_ONCE // 2
"""So many processes that each has two turns."""


def test_no_more_than_a_few_are_served_at_once_and_all_are_in_the_end():
    async def story():
        crowd, now, most, served = Turns(ALONE), 0, 0, 0

        async def clone(n):
            nonlocal now, most, served
            async with crowd.one(ANONYMOUS if n % 2 else Actor(id=n + 1), 1):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now, served = now - 1, served + 1

        await asyncio.gather(*(clone(n) for n in range(20)))
        return most, served

    assert asyncio.run(story()) == (2, 20)


def test_slow_readers_leave_room_for_others_and_a_full_house_says_so(monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(turns, "LONGEST_WAIT_SECONDS", 0.01)

    async def story():
        crowd = Turns(ALONE)
        async with AsyncExitStack() as readers:
            for n in range(4):
                await readers.enter_async_context(crowd.one(Actor(id=n + 1), 1))
            with pytest.raises(Busy):
                await readers.enter_async_context(crowd.one(Actor(id=9), 1))
        async with crowd.one(Actor(id=9), 1):
            return True

    assert asyncio.run(story())
