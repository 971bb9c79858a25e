"""Whether this instance can work: checks that its composition root names, for monitoring and for administrators."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from mujina.kernel.logs import log
from mujina.kernel.services import Services
from mujina.kernel.storage_errors import WORDS, storage_problem

OK = "ok"
TIMEOUT_SECONDS = 2.0
FindProblem = Callable[[Services], Awaitable[str | None]]
"""Returns a short reason why the next write would fail, or None."""

_checks: dict[str, FindProblem] = {}


def register_checks(checks: Mapping[str, FindProblem]) -> None:
    """The checks of every instance in this process."""
    _checks.clear()
    _checks.update(checks)


async def run_checks(services: Services) -> dict[str, str]:
    """The outcome of each check: `ok`, or a reason that reveals nothing sensitive."""
    return {name: await _outcome(services, find_problem) for name, find_problem in _checks.items()}


async def _outcome(services: Services, find_problem: FindProblem) -> str:
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await find_problem(services) or OK
    except Exception as error:  # noqa: BLE001 - not ready, whatever the error
        log.warning("not ready", error=repr(error))
        return WORDS.get(storage_problem(error) or "", "unreachable")
