"""A client whose requests hold the event loop for long lets others go first."""

import asyncio
from time import thread_time

import pytest

from mujina.kernel.loop_shares import LONG_SECONDS, OTHERS, LoopShares

LONG = 3 * LONG_SECONDS
MANY = 100_000


class Loop:
    """An application that keeps the processor for as long as a request says, and the order in which requests were served."""

    def __init__(self):
        self.served = []
        self.shares = LoopShares(self.serve)

    async def serve(self, scope, receive, send):  # noqa: ARG002 - as ASGI has it
        until = thread_time() + scope["seconds"]
        while thread_time() < until:
            pass
        self.served.append(scope["client"][0])

    async def ask(self, client, seconds=0.0):
        await self.shares({"client": (client, 1), "headers": [], "method": "GET", "seconds": seconds}, None, None)

    async def slow_after_another(self):
        """Begin a slow request of a client that has just had two, and after which another client was served."""
        await self.ask("slow", LONG)
        await self.ask("slow", LONG)
        await self.ask("quick")
        self.served.clear()
        asking = asyncio.create_task(self.ask("slow", LONG))
        await asyncio.sleep(0)
        return asking


@pytest.fixture
def loop_of():
    return lambda use: asyncio.run(use(Loop()))


def test_requests_of_others_go_before_those_of_a_client_that_holds_the_loop(loop_of):
    async def use(loop):
        asking = await loop.slow_after_another()
        for _ in range(50):
            await loop.ask("quick")
            await asyncio.sleep(0)
        assert "slow" not in loop.served
        await asking
        assert loop.served[-1] == "slow"

    loop_of(use)


def test_it_goes_on_when_others_have_had_the_loop_for_long_enough(loop_of):
    async def use(loop):
        asking = await loop.slow_after_another()
        began = thread_time()
        while not asking.done() and len(loop.served) < MANY:
            await loop.ask("quick")
            await asyncio.sleep(0)
        assert asking.done()
        assert thread_time() - began >= LONG * OTHERS / 2

    loop_of(use)


def test_it_does_not_wait_where_nobody_else_is_served(loop_of):
    async def use(loop):
        for _ in range(3):
            await loop.ask("slow", LONG)
        asking = await loop.slow_after_another()
        for _ in range(5):
            await asyncio.sleep(0)
        assert asking.done()

    loop_of(use)


def test_a_client_that_leaves_while_it_waits_is_forgotten(loop_of):
    async def use(loop):
        asking = await loop.slow_after_another()
        asking.cancel()
        for _ in range(5):
            await loop.ask("quick")
            await asyncio.sleep(0)
        await loop.ask("slow")
        assert loop.served.count("slow") == 1

    loop_of(use)
