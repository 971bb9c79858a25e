"""Source code in colors, line by line.

Pygments takes a millisecond for six lines, so no request waits for more than a small file: results are kept in a folder
by the id of the blob, and a larger file is shown plain until its result is there.
"""

import asyncio
import time
from collections.abc import Iterator
from typing import Any, Final

from mujina.kernel import deferred_imports
from mujina.kernel.services import Services
from mujina.kernel.storage.recent_results import RecentResults
from mujina.rendering.code.lexers import LexerName, lexer_of
from mujina.rendering.disk_cache import DiskCache
from mujina.rendering.html import escape_text
from mujina.rendering.low_priority import for_code

VERSION: Final = 3
"""Raised when the same file is highlighted differently."""
MAX_AWAITED: Final = 64 * 1024
"""Characters of a file that a request waits for."""
MAX_HIGHLIGHTED: Final = 512 * 1024
MAX_LINE: Final = 5_000
"""A file with a longer line stays plain."""
MAX_SECONDS: Final = 10
"""Text that a lexer has not read by then stays plain."""
MAX_PENDING: Final = 8
"""Files that are highlighted after their page was sent; further ones wait for the next visit."""
MAX_KEPT: Final = 8 * 1024 * 1024
"""Bytes in memory: some 400 files of 17 KB. Others are read from the folder."""

_GROUPS: Final = (
    ("Comment", "i"), ("Keyword", "b"), ("Operator.Word", "b"), ("Literal.String", "q"), ("Literal.Number", "var"),
    ("Name.Decorator", "var"), ("Name.Function", "u"), ("Name.Class", "u"), ("Name.Builtin", "u"), ("Name.Tag", "u"),
    ("Name.Attribute", "u"), ("Name.Exception", "u"), ("Generic.Deleted", "em"), ("Generic.Inserted", "q"),
    ("Generic.Heading", "b"), ("Generic.Subheading", "b"), ("Error", "em"),
)  # fmt: skip
"""Six groups of tokens have a color: comments, keywords, strings, numbers, names, errors. Each is an element of its own with a
short name, since a span with a class would take more bytes than the token. None but the last has a meaning that is read out."""

Lines = list[str]
"""HTML, one for each line."""

_recent: Final = RecentResults[bytes](MAX_KEPT)
_pending: Final[dict[bytes, asyncio.Task[Lines]]] = {}


def split_lines(text: str) -> list[str]:
    """The lines as git numbers them; a line break at the end starts no further line."""
    lines = text.replace("\r\n", "\n").removesuffix("\r").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def plain_lines(text: str) -> Lines:
    return split_lines(escape_text(text))


async def highlighted(services: Services, blob_id: str, path: str, text: str, *, wait: bool = True) -> Lines:
    """The lines of a file: in colors if they are known or known soon, otherwise plain.

    `wait`: a small file is highlighted before this returns. Without it, only known results are used.
    """
    lexer = lexer_of(path)
    if lexer is None or len(text) > MAX_HIGHLIGHTED:
        return plain_lines(text)
    key = f"{VERSION}-{blob_id}-{lexer.module}.{lexer.name}".encode()
    cache = _cache_of(services)
    kept = _recent.get(key) or await cache.get(key)
    if kept is not None:
        _recent.put(key, kept, len(kept))
        return split_lines(kept.decode())
    if any(len(line) > MAX_LINE for line in text.split("\n")):
        return plain_lines(text)
    if wait and len(text) <= MAX_AWAITED:
        return await _computed(cache, key, lexer, text)
    if len(_pending) < MAX_PENDING and key not in _pending:
        task = _pending[key] = asyncio.ensure_future(_computed(cache, key, lexer, text))
        task.add_done_callback(lambda _: _pending.pop(key, None))
    return plain_lines(text)


async def _computed(cache: DiskCache, key: bytes, lexer: LexerName, text: str) -> Lines:
    lines = await asyncio.get_running_loop().run_in_executor(for_code, highlight, lexer, text)
    data = "".join([f"{line}\n" for line in lines]).encode()
    _recent.put(key, data, len(data))
    await cache.put(key, data)
    return lines


def _cache_of(services: Services) -> DiskCache:
    megabytes = services.settings.highlighting_cache_megabytes
    return DiskCache.at(services.settings.data.absolute() / "cache" / "highlighting", megabytes * 1024 * 1024)


def highlight(lexer: LexerName, text: str) -> Lines:
    """The lines in colors; takes long. A file on which the lexer fails stays plain."""
    try:
        return _highlighted(lexer, text)
    except Exception:  # noqa: BLE001 - lexers are many, and files are whatever users store
        return plain_lines(text)


def _highlighted(lexer: LexerName, text: str) -> Lines:
    whole = "\n".join(split_lines(text))
    tokens = deferred_imports.lexer(lexer.module, lexer.name)().get_tokens_unprocessed(whole)
    lines: Lines = []
    line: list[str] = []
    for group, value in _in_groups(tokens, whole):
        for n, part in enumerate(value.split("\n")):
            if n:
                lines.append("".join(line))
                line = []
            if part:
                line.append(f"<{group}>{escape_text(part)}</{group}>" if group else escape_text(part))
    return [*lines, "".join(line)] if whole else []


def _in_groups(tokens: Any, whole: str) -> Iterator[tuple[str, str]]:
    """Group and text of each token, those of the same group in one; all of the text, whatever the lexer does."""
    deadline = time.monotonic() + MAX_SECONDS
    group, start, at = "", 0, 0
    for index, kind, value in tokens:
        if index != at or time.monotonic() > deadline:
            break
        other = _group_of(kind) if value.strip() else group
        if other != group:
            yield group, whole[start:at]
            group, start = other, at
        at = index + len(value)
    yield group, whole[start:at]
    yield "", whole[at:]


_known: Final[dict[Any, str]] = {}


def _group_of(kind: Any) -> str:
    group = _known.get(kind)
    if group is None:
        string_to_tokentype = deferred_imports.token_types().string_to_tokentype
        found = (group for name, group in _GROUPS if kind in string_to_tokentype(f"Token.{name}"))
        group = _known[kind] = next(found, "")
    return group
