"""Whether this instance can work: checks for monitoring and for administrators."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Literal, Self

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.monitoring.logs import log
from mujina.kernel.monitoring.metrics import Gauge
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import WORDS, storage_problem

OK = "ok"
TIMEOUT_SECONDS = 2.0
FindProblem = Callable[[Services], Awaitable[str | None]]
"""Returns a short reason why the next write would fail, or None."""

CHECKS: Final = ExtensionPoint[tuple[str, FindProblem]]("checks of the instance, by their names")

PREPARATIONS: Final = ExtensionPoint[Callable[[Services], Awaitable[None]]]("work of each start, before it serves")

GAUGES: Final = ExtensionPoint[Callable[[Services], Awaitable[list[Gauge]]]]("figures for monitoring")


class HealthLine(msgspec.Struct, frozen=True):
    """One part of the instance: how it does, in words, and where to look."""

    name: str
    state: Literal["ok", "warning"]
    words: str
    address: str = ""

    @classmethod
    def of(cls, name: str, healthy: bool, words: str, address: str = "") -> Self:
        return cls(name, "ok" if healthy else "warning", words, address)


HEALTH_LINES: Final = ExtensionPoint[Callable[[Tx], Awaitable[HealthLine]]]("parts of the instance in its overview")


async def prepare(services: Services) -> None:
    """Do what the chapters prepare at each start."""
    for preparation in services.product.all(PREPARATIONS):
        await preparation(services)


async def run_checks(services: Services) -> dict[str, str]:
    """The outcome of each check: `ok`, or a reason that reveals nothing sensitive."""
    return {name: await _outcome(services, find_problem) for name, find_problem in services.product.all(CHECKS)}


async def read_gauges(services: Services) -> list[Gauge]:
    """The figures of all chapters."""
    return [gauge for read in services.product.all(GAUGES) for gauge in await read(services)]


async def _outcome(services: Services, find_problem: FindProblem) -> str:
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await find_problem(services) or OK
    except Exception as error:  # noqa: BLE001 - not ready, whatever the error
        log.warning("not ready", error=repr(error))
        return WORDS.get(storage_problem(error) or "", "unreachable")
