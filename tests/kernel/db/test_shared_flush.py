"""One flush for all who wait, and never one that began too early."""

import asyncio

from mujina.kernel.db import shared_flush
from mujina.kernel.db.shared_flush import BATCH_SIZE, SharedFlush


def test_a_flush_that_has_begun_is_not_trusted_with_what_was_committed_since():
    async def story():
        begun, gates = 0, [asyncio.Event(), asyncio.Event()]

        async def flush():
            nonlocal begun
            begun += 1
            await gates[begun - 1].wait()

        shared = SharedFlush(flush)
        early = [asyncio.create_task(shared.wait()) for _ in range(3)]
        await asyncio.sleep(0.01)
        late = [asyncio.create_task(shared.wait()) for _ in range(5)]
        late[0].cancel()
        await asyncio.sleep(0.01)
        assert begun == 1
        gates[0].set()
        await asyncio.gather(*early)
        await asyncio.sleep(0.01)
        assert begun == 2
        assert not any(task.done() for task in late[1:])
        gates[1].set()
        await asyncio.gather(*late[1:])
        assert begun == 2

    asyncio.run(story())


def test_a_flush_waits_for_concurrent_transactions_only(monkeypatch):
    monkeypatch.setattr(shared_flush, "BATCH_DELAY", 1.0)  # on a busy machine all of them may rest for a while

    async def story(company: int) -> int:
        begun = 0

        async def flush():
            nonlocal begun
            begun += 1

        shared = SharedFlush(flush)

        async def transaction(statements: int):
            with shared.under_way():
                for _ in range(statements):
                    await asyncio.sleep(0)
            await shared.wait()

        await asyncio.gather(*(transaction(10 * n) for n in range(company)))
        return begun

    assert asyncio.run(story(BATCH_SIZE + 1)) <= 2
    assert asyncio.run(story(BATCH_SIZE)) == BATCH_SIZE
