"""Work on CI files is done one by one, and people take turns."""

import asyncio
import threading

from mujina.ci.config_files.operations import compute
from mujina.kernel.permissions.actor import Actor


def test_a_user_who_checks_many_files_delays_others_by_one(loop):
    busy, other = Actor(id=1, username="busy"), Actor(id=2, username="other")
    gate, done = threading.Event(), list[str]()

    async def work(actor):
        await compute(actor, lambda: gate.wait(60))
        done.append(actor.username)

    async def all_at_once():
        asyncio.get_running_loop().call_soon(gate.set)
        await asyncio.gather(*(work(busy) for _ in range(5)), work(other))

    loop.run_until_complete(all_at_once())
    assert done.index("other") <= 2
    assert len(done) == 6
