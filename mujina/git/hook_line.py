"""The line between git's hooks and the process that serves the push: two pipes, which only that git inherits.

A hook says its name, the folder of the objects it was sent, then `old new ref` for each ref, then `.`; and is answered
`ok`, or anything else followed by the words to show to the person. What it is told after the refs have moved ends the
line, and may have such words as well.
"""

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, Self

from mujina.code.repositories.changes import Change

HOOKS: Final = Path(__file__).parent / "hooks"
MOST_REFS: Final = 50_000
_END = b"."


class CutOff(Exception):
    """The hook died before it had told which refs moved: whoever mends the push finds out."""


class Judge(Protocol):
    """Decides about a push, and keeps the record of it."""

    async def judge(self, quarantine: str, changes: Sequence[Change]) -> str | None:
        """What is wrong with it; None: nothing."""
        ...

    async def settle(self, moved: Sequence[Change]) -> None:
        """These refs have moved."""
        ...

    async def remarks(self) -> str:
        """What there is to say to the person when all is done."""
        ...


class HookLine:
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
        """Git has its own ends now: ours of them are closed, so that the line ends with it."""
        self._close(*self.shared)

    async def answer(self, judge: Judge) -> None:
        """Answer every question of the hooks, until git has ended."""
        reader = asyncio.StreamReader()
        self._open.discard(self._ask)  # closed with the transport
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(self._ask, "rb", buffering=0)
        )
        try:
            while moment := (await reader.readline()).strip():
                quarantine = (await reader.readline()).decode("utf-8", "surrogateescape").strip()
                changes = await _changes(reader)
                if moment == b"post-receive":
                    if changes is None:
                        raise CutOff
                    await judge.settle(changes)
                    self._say(f"ok\n{await judge.remarks()}")
                    return
                if not await self._approve(judge, quarantine, changes):
                    return
        finally:
            transport.close()
            self._close(self._answer)  # a hook that still waits is not left waiting: no answer refuses

    async def _approve(self, judge: Judge, quarantine: str, changes: list[Change] | None) -> bool:
        refusal = "This push cannot be read." if changes is None else await judge.judge(quarantine, changes)
        if refusal is None:
            self._say("ok\n")
            return True
        self._say(f"refused\n{refusal}\n")
        return False

    def _say(self, text: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._answer, text.encode("utf-8", "replace")[:4096])

    def _close(self, *ends: int) -> None:
        for end in ends:
            if end in self._open:
                self._open.discard(end)
                os.close(end)


async def _changes(reader: asyncio.StreamReader) -> list[Change] | None:
    """The refs up to the end mark; None if there are too many, or names that are no text."""
    changes: list[Change] = []
    unreadable = False
    while (raw := (await reader.readline()).rstrip(b"\n")) != _END:
        if not raw:  # the line was cut
            return None
        try:
            old, new, ref = raw.decode().split(" ", 2)
        except (UnicodeDecodeError, ValueError):
            unreadable = True
            continue
        if len(changes) < MOST_REFS:
            changes.append(Change(ref, old, new))
        else:
            unreadable = True
    return None if unreadable else changes
