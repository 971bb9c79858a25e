"""Searching what a repository holds: its files, by what they say and how they are called, and its commits."""

import asyncio
import re

from mujina.adapters import git_grep, git_reading
from mujina.adapters.git_grep import Passage
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Code, CommitInfo, Found

__all__ = ["Passage"]

BEGINNING = 5
"""So many lines are shown of a file that was found by its name."""
_ID = re.compile(r"[0-9a-f]{7,40}")


async def passages(code: Code, words: str) -> list[Passage]:
    """Where the words stand in the default branch, and after that the files that are called so."""
    if not words.strip() or code.default_branch is None or not commits.exists(code, code.default_branch):
        return []
    found = commits.find(code, code.default_branch)
    await commits.check_tree(found)
    said = await git_grep.passages(code.place, found.id, words)
    known = {passage.path for passage in said}
    named = [path for path in await git_grep.names(code.place, found.id, words) if path not in known]
    return (said + await asyncio.to_thread(_beginnings, found, named))[: git_grep.MAX_RESULTS]


def _beginnings(found: Found, paths: list[str]) -> list[Passage]:
    files = [git_reading.file_at(found.code.repository, found.id, path) for path in paths]
    return [Passage(file.path, 1, _beginning(file.data or b"")) for file in files if file is not None]


def _beginning(data: bytes) -> str:
    """The first lines of a text; nothing of what is none."""
    start = data[: BEGINNING * git_grep.MAX_LINE_BYTES]
    return "" if b"\0" in start else "".join(start.decode("utf-8", "replace").splitlines(keepends=True)[:BEGINNING])


async def told_commits(code: Code, words: str, *, offset: int, limit: int) -> tuple[list[CommitInfo], int]:
    """One page of the commits of the default branch whose message says so, or the one of this id; and how many."""
    if not words.strip() or code.default_branch is None:
        return [], 0
    if _ID.fullmatch(words) and commits.exists(code, words):
        return [commits.show(commits.find(code, words))][offset:], 1
    return await commits.saying(commits.find(code, None), words, offset=offset, limit=limit)
