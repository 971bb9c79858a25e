"""Pipes to and from git that transfer packs in large pieces.

Git reads and writes eight kilobytes at a time. A stream of the event loop wakes for each of them, which costs more than
the transfer itself; a short pause before each step makes one large step of many small ones.

    with Pipe.outward() as stdout: ...    git writes, we read
    with Pipe.inward() as stdin: ...      we write, git reads
"""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Callable
from typing import Any, Final, Self

BUFFER_BYTES: Final = 256 * 1024
"""The capacity of a pipe: git seldom waits for us, and nothing more is read ahead."""
PAUSE_SECONDS: Final = 0.001


class Pipe:
    """Git inherits the end `theirs`; the other is ours. Both are closed at the end of the block at the latest."""

    def __init__(self, ours: int, theirs: int, pause: float = PAUSE_SECONDS) -> None:
        self._ours, self.theirs = ours, theirs
        self._pause = pause
        self._open = {ours, theirs}
        os.set_blocking(ours, False)
        with contextlib.suppress(PermissionError):  # the kernel limits the total of each user
            fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, BUFFER_BYTES)

    @classmethod
    def inward(cls) -> Self:
        theirs, ours = os.pipe()
        return cls(ours, theirs)

    @classmethod
    def outward(cls, pause: float = PAUSE_SECONDS) -> Self:
        return cls(*os.pipe(), pause)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.handed_over()
        self.close()

    def handed_over(self) -> None:
        """Close our copy of git's end, so that the pipe closes when git exits."""
        self._close(self.theirs)

    def close(self) -> None:
        """Close our end."""
        self._close(self._ours)

    async def read(self) -> bytes:
        """All that the pipe holds; empty at the end."""
        while True:
            try:
                return os.read(self._ours, BUFFER_BYTES)
            except BlockingIOError:
                loop = asyncio.get_running_loop()
                await self._until(loop.add_reader, loop.remove_reader)

    async def write(self, content: bytes) -> None:
        """Write all of it; `BrokenPipeError` if git has closed its end."""
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(self._ours, rest) :]
            except BlockingIOError:
                loop = asyncio.get_running_loop()
                await self._until(loop.add_writer, loop.remove_writer)

    async def _until(self, watch: Callable[..., Any], forget: Callable[[int], Any]) -> None:
        """Wait until the pipe is ready, then pause so that git can continue."""
        ready = asyncio.Event()
        watch(self._ours, ready.set)
        try:
            await ready.wait()
        finally:
            forget(self._ours)
        await asyncio.sleep(self._pause)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.discard(end)
            os.close(end)
