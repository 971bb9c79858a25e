"""A crowd takes turns: of clones, and of pushes."""

import asyncio
import base64
from contextlib import AsyncExitStack

import pytest

from mujina.app import build_services
from mujina.git import concurrency
from mujina.git.concurrency import MAX_CONCURRENT, ConcurrencyLimit, TooManyRequests
from mujina.git.smart_http import SmartHttp
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.settings import Settings
from tests.git import wire
from tests.git.wire import ZERO

ALONE = MAX_CONCURRENT // 2
"""Processes that have two turns each."""


def test_no_more_than_a_few_are_served_at_once_and_all_are_in_the_end():
    async def story():
        crowd, now, most, served = ConcurrencyLimit(ALONE), 0, 0, 0

        async def clone(n):
            nonlocal now, most, served
            async with crowd.slot(ANONYMOUS if n % 2 else Actor(id=n + 1), 1):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now, served = now - 1, served + 1

        await asyncio.gather(*(clone(n) for n in range(20)))
        return most, served

    assert asyncio.run(story()) == (2, 20)


@pytest.fixture
def impatient(monkeypatch):
    """Nobody is waited for longer than a moment."""
    monkeypatch.setattr(concurrency, "RESERVE_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)


@pytest.mark.usefixtures("impatient")
def test_slow_readers_leave_room_for_others_and_a_full_server_says_so():
    async def story():
        crowd = ConcurrencyLimit(ALONE)
        async with AsyncExitStack() as readers:
            for n in range(4):
                await readers.enter_async_context(crowd.slot(Actor(id=n + 1), 1))
            with pytest.raises(TooManyRequests):
                await readers.enter_async_context(crowd.slot(Actor(id=9), 1))
        async with crowd.slot(Actor(id=9), 1):
            return True

    assert asyncio.run(story())


@pytest.mark.usefixtures("impatient")
def test_a_user_with_many_requests_leaves_room_for_others():
    async def story():
        crowd = ConcurrencyLimit(ALONE)
        async with AsyncExitStack() as greedy:
            for _ in range(2):
                await greedy.enter_async_context(crowd.slot(Actor(id=1), 1))
            with pytest.raises(TooManyRequests):
                await greedy.enter_async_context(crowd.slot(Actor(id=1), 1))
            async with crowd.slot(Actor(id=2), 1), crowd.slot(ANONYMOUS, 1):
                return True

    assert asyncio.run(story())


@pytest.mark.commits
def test_a_push_is_not_read_before_it_has_a_slot(stage, database, cast):
    door = SmartHttp(build_services(Settings(data=stage.folder, workers=ALONE), database))
    login = b"Basic " + base64.b64encode(f"x:{cast.master.token}".encode())
    scope = {
        "method": "POST", "scheme": "http", "path": f"/{cast.private.path}.git/git-receive-pack", "query_string": b"",
        "headers": [(b"authorization", login), (b"content-type", wire.TYPE.encode())],
    }  # fmt: skip
    body = wire.request(f"{ZERO} {'1' * 40} refs/heads/nowhere")

    async def story():
        heard, most, statuses, full, go_on = 0, 0, [], asyncio.Event(), asyncio.Event()

        async def push():
            async def receive():
                nonlocal heard, most
                heard += 1
                most = max(most, heard)
                if heard == 2:
                    full.set()
                await go_on.wait()
                return {"type": "http.request", "body": body}

            async def send(message):
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            nonlocal heard
            await door(scope, receive, send)
            heard -= 1

        crowd = [asyncio.create_task(push()) for _ in range(6)]
        await full.wait()
        await asyncio.sleep(0.1)
        go_on.set()
        await asyncio.gather(*crowd)
        return most, statuses

    assert stage.loop.run_until_complete(story()) == (2, [200] * 6)
