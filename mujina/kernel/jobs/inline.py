"""Jobs within the request that enqueues them: for test suites, which look at the result at once."""

from collections.abc import Awaitable, Callable
from typing import Any

from mujina.kernel.jobs import wakeups
from mujina.kernel.jobs.runner import Runner

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class InlineJobs:
    """An application whose responses start when the jobs they enqueued have run, and the jobs those enqueued."""

    def __init__(self, application: Application, runner: Runner) -> None:
        self._application = application
        self._runner = runner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        wakeup = wakeups.Wakeup()

        async def answer(message: dict[str, Any]) -> None:
            if wakeup.notified:
                await self._runner.drain()
            await send(message)

        with wakeups.registered(wakeup):
            await self._application(scope, receive, answer)
