"""Jobs within the request that enqueues them: for test suites, which look at the result at once."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from mujina.kernel.jobs import wakeups

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class Drainable(Protocol):
    """Work in the background that can be done at once instead."""

    async def drain(self) -> None: ...


class InlineJobs:
    """An application whose responses start when the jobs they enqueued have run, and the jobs those enqueued."""

    def __init__(self, application: Application, *works: Drainable) -> None:
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
