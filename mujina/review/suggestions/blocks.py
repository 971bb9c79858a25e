"""The blocks of a comment that suggest other lines, and the files in which these take their places."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from mujina.kernel.text.deferred_patterns import deferred_pattern

MAX_LINES: Final = 100
"""Lines above and below the commented line that a block may replace."""
MAX_BLOCKS: Final = 50
"""Further blocks of a comment suggest nothing."""
_FENCE: Final = deferred_pattern(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_INFO: Final = deferred_pattern(r"suggestion(?::-(\d{1,3})\+(\d{1,3}))?")


class Block(msgspec.Struct, frozen=True):
    """A block: how many lines around the commented one it replaces, and by what."""

    above: int
    below: int
    content: str


class Lines(msgspec.Struct, frozen=True):
    """Some lines of a file in a commit, counted from 1."""

    path: str
    first: int
    last: int


def read_blocks(body: str) -> list[Block]:
    """The blocks of a comment, in their order; one that is not closed ends with the comment."""
    found: list[Block] = []
    lines = iter(body.replace("\r\n", "\n").split("\n"))
    for line in lines:
        opening = _FENCE.fullmatch(line)
        if opening is None:
            continue
        content = list(_until(lines, opening[1]))
        info = _INFO.fullmatch(opening[2].strip())
        if info is not None and len(found) < MAX_BLOCKS:
            above, below = (min(int(number or 0), MAX_LINES) for number in info.groups())
            found.append(Block(above, below, "".join(f"{each}\n" for each in content)))
    return found


def _until(lines: Iterator[str], fence: str) -> Iterator[str]:
    """The lines before the one that closes the fence, which is at least as long."""
    for line in lines:
        closing = line.strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            return
        yield line


def split(data: bytes) -> list[bytes]:
    """The lines of a file, each with its end."""
    return [line for line in re.split(rb"(?<=\n)", data) if line]


def replace(lines: Sequence[bytes], changes: Sequence[tuple[Lines, str]]) -> bytes:
    """The file with these lines replaced, from the last to the first; the ends of its lines stay as they are."""
    result = list(lines)
    for where, content in sorted(changes, key=lambda change: change[0].first, reverse=True):
        former = result[where.first - 1 : where.last]
        new = split(content.encode())
        if former and former[0].endswith(b"\r\n"):
            new = [line.removesuffix(b"\n") + b"\r\n" for line in new]
        if new and former and not former[-1].endswith(b"\n"):
            new[-1] = new[-1].rstrip(b"\r\n")
        result[where.first - 1 : where.last] = new
    return b"".join(result)
