"""Jobs within the request that enqueues them: for test suites, which look at the result at once."""

from typing import Any

from mujina.kernel.http.applications import Application
from mujina.kernel.jobs import wakeups
from mujina.kernel.jobs.processes import BackgroundService


class InlineJobs:
    """An application whose responses start when the jobs they enqueued have run, and the jobs those enqueued."""

    def __init__(self, application: Application, *works: BackgroundService) -> None:
        self._application = application
        self._works = works

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        wakeup = wakeups.Wakeup()

        async def answer(message: dict[str, Any]) -> None:
            if wakeup.notified:
                for work in self._works:
                    await work.drain()
            await send(message)

        with wakeups.registered(wakeup, wakeups.CHANNEL, wakeups.HOOK_CHANNEL):
            await self._application(scope, receive, answer)
