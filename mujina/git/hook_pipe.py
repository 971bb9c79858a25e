"""The connection between git's hooks and the process that serves the push: two pipes that only this git inherits.

A hook writes its name, the quarantine folder, one line `old new ref` for each ref, and `.`. It reads `ok`, or another
word followed by the text for the user. The answer to `post-receive` ends the conversation; a text may follow its `ok`.
"""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Final, Self

from mujina.code.pushes.access import UNAVAILABLE
from mujina.code.pushes.changes import Change
from mujina.code.pushes.operations import Push
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.monitoring.logs import log
from mujina.kernel.storage.errors import storage_problem

HOOKS: Final = Path(__file__).parent / "hooks"
MAX_REFS: Final = 50_000
MAX_ANSWER_BYTES: Final = 32_768
"""Fits into a pipe, so that writing it never waits for the hook."""
_END = b"."


class HookInterrupted(Exception):
    """The hook died before it had listed the refs that moved: recovery finds them."""


class HookPipe:
    """Open from before git starts until it has ended."""

    def __init__(self) -> None:
        self._ask, their_ask = os.pipe()
        their_answer, self._answer = os.pipe()
        self.shared = (their_ask, their_answer)
        self.environment = {"MUJINA_ASK": str(their_ask), "MUJINA_ANSWER": str(their_answer)}
        self._open = {self._ask, their_ask, their_answer, self._answer}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close(*self._open)

    def handed_over(self) -> None:
        """Close our copies of git's ends, so that the pipes close when git exits."""
        self._close(*self.shared)

    async def serve(self, push: Push) -> None:
        """Answer the hooks until git exits."""
        reader = asyncio.StreamReader()
        self._open.discard(self._ask)  # closed with the transport
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(self._ask, "rb", buffering=0)
        )
        try:
            while hook := (await reader.readline()).strip():
                quarantine = (await reader.readline()).decode("utf-8", "surrogateescape").strip()
                changes = await _changes(reader)
                if hook == b"post-receive":
                    if changes is None:
                        raise HookInterrupted
                    await push.record(changes)
                    self._write(f"ok\n{await push.message()}")
                    return
                if not await self._approve(push, quarantine, changes):
                    return
        finally:
            transport.close()
            self._close(self._answer)  # a hook that still waits reads the end of the pipe, which rejects the push

    async def _approve(self, push: Push, quarantine: str, changes: list[Change] | None) -> bool:
        try:
            problem = "This push cannot be read." if changes is None else await push.check(quarantine, changes)
        except Exception as error:
            problem = storage_problem(error) or (UNAVAILABLE if isinstance(error, TemporaryFailure) else None)
            if problem is None:
                raise
            log.error("a push could not be checked", error=repr(error))
        if problem is None:
            self._write("ok\n")
            return True
        self._write(f"refused\n{problem}\n")
        return False

    def _write(self, text: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._answer, text.encode("utf-8", "replace")[:MAX_ANSWER_BYTES])

    def _close(self, *ends: int) -> None:
        for end in ends:
            if end in self._open:
                self._open.discard(end)
                os.close(end)


async def _changes(reader: asyncio.StreamReader) -> list[Change] | None:
    """The refs up to the end mark; None if there are too many, or if a name is not UTF-8."""
    changes: list[Change] = []
    unreadable = False
    while (raw := (await reader.readline()).rstrip(b"\n")) != _END:
        if not raw:  # the hook was killed
            return None
        try:
            old, new, ref = raw.decode().split(" ", 2)
        except (UnicodeDecodeError, ValueError):
            unreadable = True
            continue
        if len(changes) < MAX_REFS:
            changes.append(Change(ref, old, new))
        else:
            unreadable = True
    return None if unreadable else changes
