"""Jobs within the request that wants them: for people's test suites, which ask and look at once."""

from collections.abc import Awaitable, Callable
from typing import Any

from mujina.kernel.jobs import wakes
from mujina.kernel.jobs.runner import Runner

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class InlineJobs:
    """An application whose answers begin when the jobs they want have run, and whatever those wanted in turn."""

    def __init__(self, application: Application, runner: Runner) -> None:
        self._application = application
        self._runner = runner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        bell = wakes.Bell()

        async def answer(message: dict[str, Any]) -> None:
            if bell.rung:
                await self._runner.drain()
            await send(message)

        with wakes.hung(bell):
            await self._application(scope, receive, answer)
