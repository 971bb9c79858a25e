import asyncio

import pytest

from mujina.kernel.http.body_deadlines import BodyDeadlines


def test_results_in_time_are_returned_and_late_ones_are_not():
    async def wait_for_some():
        deadlines = BodyDeadlines(0.05)
        assert await deadlines.within_limit(asyncio.sleep(0, "early")) == "early"
        slow = [asyncio.create_task(deadlines.within_limit(asyncio.sleep(30))) for _ in range(2)]
        cancelled = asyncio.create_task(deadlines.within_limit(asyncio.sleep(30)))
        await asyncio.sleep(0)
        cancelled.cancel()
        late = await asyncio.gather(*slow, cancelled, return_exceptions=True)
        assert [type(error) for error in late] == [TimeoutError, TimeoutError, asyncio.CancelledError]
        await asyncio.sleep(0.06)  # nothing is awaited, so no timer is left: the next wait starts one
        with pytest.raises(TimeoutError):
            await deadlines.within_limit(asyncio.sleep(30))
        assert asyncio.current_task().cancelling() == 0

    asyncio.run(wait_for_some())


def test_each_event_loop_has_its_timer():
    deadlines = BodyDeadlines(0.05)
    for _ in range(2):
        with asyncio.Runner() as runner, pytest.raises(TimeoutError):
            runner.run(deadlines.within_limit(asyncio.sleep(30)))
