"""A limit to the time in which the bodies of requests arrive: one timer for all of them, because nearly all are there at once."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

Result = TypeVar("Result")

CHECK_SECONDS = 1.0
"""Seconds between two looks at what is still awaited; a wait may last so much longer than its limit."""


class BodyDeadlines:
    """A wait under one limit. `asyncio.timeout` does the same more exactly, with a timer for each wait."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._awaiting: dict[asyncio.Task[Any], float] = {}
        """When each task began, the first one first."""
        self._late: set[asyncio.Task[Any]] = set()
        self._checked_by: asyncio.AbstractEventLoop | None = None

    async def within_limit(self, arriving: Awaitable[Result]) -> Result:
        """Returns what arrives; raises `TimeoutError` if it takes longer than the limit."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._awaiting[task] = loop.time()
        if self._checked_by is not loop:
            self._checked_by = loop
            loop.call_later(min(CHECK_SECONDS, self._seconds), self._check, loop)
        try:
            return await arriving
        except asyncio.CancelledError:
            if task in self._late and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            del self._awaiting[task]
            self._late.discard(task)

    def _check(self, loop: asyncio.AbstractEventLoop) -> None:
        latest = loop.time() - self._seconds
        for task, began in self._awaiting.items():
            if began > latest:
                break
            if task not in self._late:
                self._late.add(task)
                task.cancel()
        self._checked_by = None
        if self._awaiting:
            self._checked_by = loop
            loop.call_later(min(CHECK_SECONDS, self._seconds), self._check, loop)
