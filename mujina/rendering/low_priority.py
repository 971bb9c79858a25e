"""Threads for rendering, at low priority: requests of the API get the processor first."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from mujina.kernel.concurrency.priority import give_way

Result = TypeVar("Result")


class LowPriorityThread:
    """Does one piece of work at a time, off the event loop."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(
            1, thread_name_prefix=name, initializer=lambda: give_way(threading.get_native_id())
        )

    async def compute(self, work: Callable[[], Result]) -> Result:
        """The result of this work."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


for_markdown: Final = LowPriorityThread("markdown")
for_code: Final = LowPriorityThread("highlighting")
"""A thread of its own: a lexer that takes long for some text delays no other page."""
