"""Threads for rendering, at low priority: requests of the API get the processor first."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from mujina.kernel.concurrency.priority import lower_priority


def _thread(name: str) -> ThreadPoolExecutor:
    """Does one piece of work at a time, off the event loop."""
    return ThreadPoolExecutor(1, thread_name_prefix=name, initializer=lambda: lower_priority(threading.get_native_id()))


for_markdown: Final = _thread("markdown")
for_code: Final = _thread("highlighting")
"""A thread of its own: a lexer that takes long for some text delays no other page."""
