"""Searches the files of a commit for a text, ignoring case."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Final

import msgspec

from mujina.adapters.git import git
from mujina.kernel.text.encodings import decode_text

MAX_RESULTS: Final = 1_000
"""The number of passages, or of names."""
TIMEOUT_SECONDS: Final = 20
MAX_LINE_BYTES: Final = 2_000
BETWEEN: Final = b"--"
"""The line that git writes between two passages."""
OPTIONS: Final = ("--fixed-strings", "--ignore-case", "-I", "--line-number", "--null", "--context=2", "--threads=1")


class Passage(msgspec.Struct, frozen=True):
    """Some lines of a file, with the number of the first."""

    path: str
    line: int
    text: str


async def passages(repo_path: Path, commit: str, words: str) -> list[Passage]:
    """Passages of the commit's files that contain the words, with context; those found within the timeout."""
    found: list[Passage] = []
    with suppress(TimeoutError, git.GitCommandError):  # git also fails when it finds nothing
        async with asyncio.timeout(TIMEOUT_SECONDS), aclosing(_passages(repo_path, commit, words)) as matches:
            async for passage in matches:
                found.append(passage)
                if len(found) == MAX_RESULTS:
                    break
    return found


async def names(repo_path: Path, commit: str, words: str) -> list[str]:
    """The paths of the commit's files that contain the words."""
    listing = git.stream(repo_path, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    paths = [record.decode("utf-8", "replace") async for record in git.records(listing)]
    return [path for path in paths if words.casefold() in path.casefold()][:MAX_RESULTS]


async def _passages(repo_path: Path, commit: str, words: str) -> AsyncGenerator[Passage]:
    path, first, lines = "", 0, list[str]()
    async with aclosing(git.stream(repo_path, "grep", *OPTIONS, f"-e{words}", commit)) as pieces:
        async for line in _lines(pieces):
            where, _, rest = line.partition(b"\0")
            number, _, text = rest.partition(b"\0")
            here = where.decode("utf-8", "replace").removeprefix(f"{commit}:")
            if lines and (line == BETWEEN or here != path):
                yield Passage(path, first, "".join(lines))
                lines = []
            if not number.isdigit():
                continue
            if not lines:
                path, first = here, int(number)
            lines.append(decode_text(text) + "\n")
    if lines:
        yield Passage(path, first, "".join(lines))


async def _lines(pieces: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """The lines of a stream; only the beginning of a long line is kept."""
    rest = b""
    async for piece in pieces:
        first, *others = piece.split(b"\n")
        rest = (rest + first)[:MAX_LINE_BYTES]
        for other in others:
            yield rest
            rest = other[:MAX_LINE_BYTES]
    if rest:
        yield rest
