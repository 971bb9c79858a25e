"""Searches a repository: files by content and name, and commits."""

import asyncio
import re

from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import grep
from mujina.adapters.git.reading.grep import Passage
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo, Repository, ResolvedCommit
from mujina.kernel.text.encodings import decode_text

__all__ = ["Passage"]

PREVIEW_LINES = 5
"""The number of lines that are shown of a file found by its name."""
_ID = re.compile(r"[0-9a-f]{7,40}")


async def passages(code: Repository, words: str, ref: str | None) -> list[Passage]:
    """Matches in the content of the ref, by default the default branch, then files whose names match; 404 without the ref."""
    known = ref or (code.default_branch and commits.exists(code, code.default_branch))
    if not words.strip() or not known:
        return []
    found = commits.find(code, ref)
    await commits.check_tree(found)
    matches = await grep.passages(code.repo_path, found.id, words)
    shown = {passage.path for passage in matches}
    named = [path for path in await grep.names(code.repo_path, found.id, words) if path not in shown]
    return (matches + await asyncio.to_thread(_previews, found, named))[: grep.MAX_RESULTS]


def _previews(found: ResolvedCommit, paths: list[str]) -> list[Passage]:
    files = [reading.file_at(found.code.repository, found.id, path) for path in paths]
    return [Passage(file.path, 1, _preview(file.data or b"")) for file in files if file is not None]


def _preview(data: bytes) -> str:
    """The first lines of a text file; empty for binary files."""
    start = data[: PREVIEW_LINES * grep.MAX_LINE_BYTES]
    if len(start) < len(data):
        start = start[: start.rfind(b"\n") + 1] or start  # a character may be cut in two
    return "" if b"\0" in start else "".join(decode_text(start).splitlines(keepends=True)[:PREVIEW_LINES])


async def matching_commits(
    code: Repository, words: str, ref: str | None, *, offset: int, limit: int
) -> tuple[list[CommitInfo], int]:
    """One page of the commits of the ref, by default the default branch, by message, or the commit of this id; and the total."""
    if not words.strip() or (ref or code.default_branch) is None:
        return [], 0
    if _ID.fullmatch(words) and commits.exists(code, words):
        return [commits.show(commits.find(code, words))][offset:], 1
    return await commits.with_message(commits.find(code, ref), words, offset=offset, limit=limit)
