"""What a pack goes through on its way to or from git: pipes that are filled and emptied in large pieces.

git writes eight kilobytes at a time and reads as little. Followed step by step, as a stream of the event loop follows it,
a transfer costs the loop more than it costs git; a moment's rest at each stop makes one large step of many small ones.

    with Pipe.outward() as said: ...    git writes, we read
    with Pipe.inward() as told: ...     we write, git reads
"""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Callable
from typing import Any, Final, Self

ROOM: Final = 256 * 1024
"""Bytes a pipe holds, so that git seldom waits for us; nothing more is read ahead of whoever takes it."""
REST_SECONDS: Final = 0.001


class Pipe:
    """Git is handed `theirs`; the other end is ours. Closed with the block, if not before."""

    def __init__(self, ours: int, theirs: int, rest: float = REST_SECONDS) -> None:
        self._ours, self.theirs = ours, theirs
        self._rest = rest
        self._open = {ours, theirs}
        os.set_blocking(ours, False)
        with contextlib.suppress(PermissionError):  # the kernel grants each user so much room and no more
            fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, ROOM)

    @classmethod
    def inward(cls) -> Self:
        theirs, ours = os.pipe()
        return cls(ours, theirs)

    @classmethod
    def outward(cls, rest: float = REST_SECONDS) -> Self:
        return cls(*os.pipe(), rest)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.handed_over()
        self.close()

    def handed_over(self) -> None:
        """Git has its own end now: ours of it is closed, so that the pipe ends with git."""
        self._close(self.theirs)

    def close(self) -> None:
        """Nothing more comes from us, or is taken by us."""
        self._close(self._ours)

    async def read(self) -> bytes:
        """The next piece, as large as it has become; empty at the end."""
        while True:
            try:
                return os.read(self._ours, ROOM)
            except BlockingIOError:
                loop = asyncio.get_running_loop()
                await self._until(loop.add_reader, loop.remove_reader)

    async def write(self, content: bytes) -> None:
        """All of it, as git takes it; `BrokenPipeError` if git has stopped listening."""
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(self._ours, rest) :]
            except BlockingIOError:
                loop = asyncio.get_running_loop()
                await self._until(loop.add_writer, loop.remove_writer)

    async def _until(self, watch: Callable[..., Any], forget: Callable[[int], Any]) -> None:
        """Git has moved, and a moment has passed in which it moved on."""
        moved = asyncio.Event()
        watch(self._ours, moved.set)
        try:
            await moved.wait()
        finally:
            forget(self._ours)
        await asyncio.sleep(self._rest)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.discard(end)
            os.close(end)
