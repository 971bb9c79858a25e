import asyncio

from mujina.kernel.concurrency.fair_semaphore import FairSemaphore


def test_every_key_is_let_in_once_before_any_is_let_in_again():
    async def story():
        limit, order = FairSemaphore(1), []

        async def take(key):
            async with limit.slot(key):
                order.append(key)
                await asyncio.sleep(0)

        await asyncio.gather(*(take(key) for key in "aaaabbc"))
        assert "".join(order) == "aabcaba"

    asyncio.run(story())


def test_no_more_than_the_limit_hold_it_at_once():
    async def story():
        limit, now, most = FairSemaphore(2), 0, 0

        async def take(key):
            nonlocal now, most
            async with limit.slot(key):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now -= 1

        await asyncio.gather(*(take(key) for key in "abcabcabc"))
        assert most == 2

    asyncio.run(story())


def test_a_canceled_waiter_holds_up_no_other():
    async def story():
        limit, order = FairSemaphore(1), []

        async def take(name):
            async with limit.slot(name):
                order.append(name)

        async with limit.slot("first"):
            waiting = {name: asyncio.create_task(take(name)) for name in ("gone", "called", "last")}
            await asyncio.sleep(0)
            waiting["gone"].cancel()
            await asyncio.sleep(0)
        waiting["called"].cancel()  # whose turn it is just now
        await asyncio.gather(*waiting.values(), return_exceptions=True)
        assert order == ["last"]
        async with limit.slot("again"):
            pass

    asyncio.run(story())


def test_one_key_never_has_all_places():
    async def story():
        semaphore = FairSemaphore(4, per_key=2)
        entered: list[str] = []
        leave = asyncio.Event()

        async def enter(key):
            async with semaphore.slot(key):
                entered.append(key)
                await leave.wait()

        crowd = [asyncio.create_task(enter("crowd")) for _ in range(9)]
        await asyncio.sleep(0)
        other = asyncio.create_task(enter("other"))
        await asyncio.sleep(0.01)
        assert entered == ["crowd", "crowd", "other"]
        crowd[2].cancel()
        leave.set()
        await asyncio.gather(*crowd, other, return_exceptions=True)
        assert entered.count("crowd") == 8

    asyncio.run(story())
