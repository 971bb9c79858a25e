"""The summary of refs that have moved: how many commits were added, and which wiki pages changed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import counting
from mujina.code.pushes.changes import BRANCHES, ZERO, Change, PageChange, PushSummary, RefSummary
from mujina.code.wikis.slugs import BRANCH, slug_at

if TYPE_CHECKING:
    from pygit2 import Repository

MAX_TITLE_LENGTH: Final = 70
WHOLE_HISTORY: Final = -1
"""Stands for a count that git has yet to determine."""


async def summarize(repo_path: Path, moved: Sequence[Change], default_branch: str | None) -> PushSummary:
    """Each ref that moved, with the commits it gained. Objects that can no longer be read count as none.

    `default_branch` includes the one that this push makes the default.
    """
    refs = await asyncio.to_thread(_summarize_refs, repo_path, moved, default_branch)
    return PushSummary([await _counted(repo_path, ref) for ref in refs], [])


async def summarize_wiki(repo_path: Path, moved: Sequence[Change], *, web: bool) -> PushSummary:
    """Summarizes a push to a wiki; for a change made through the API, also the page that it changed."""
    summary = await summarize(repo_path, moved, BRANCH)
    # Compat: pages changed by a git push are not announced.
    return msgspec.structs.replace(summary, pages=await _pages(repo_path, moved)) if web else summary


def _summarize_refs(repo_path: Path, moved: Sequence[Change], default: str | None) -> list[RefSummary]:
    repository = opened(repo_path)
    base = counting.tip_of(repository, f"{BRANCHES}{default}", skip_lost=True)
    return [_summarize_ref(repository, change, None if change.branch == default else base) for change in moved]


def _summarize_ref(repository: "Repository", change: Change, base: str | None) -> RefSummary:
    """A new branch adds the commits that the default branch does not have; a tag adds its commit."""
    if change.deletes:
        return RefSummary(change, 0, None)
    title = counting.title_of(repository, change.new)
    if title is None or change.tag is not None:
        return RefSummary(change, 0 if title is None else 1, _short(title))
    since = base if change.creates else change.old
    count = WHOLE_HISTORY if since is None else counting.count_between(repository, since, change.new)
    return RefSummary(change, count, _short(title) if count else None, since)


async def _counted(repo_path: Path, ref: RefSummary) -> RefSummary:
    """Adds the number of commits; git counts a whole history, which may be long."""
    if ref.commit_count != WHOLE_HISTORY:
        return ref
    try:
        return msgspec.structs.replace(ref, commit_count=await counting.count_all(repo_path, ref.change.new))
    except git.GitCommandError:
        return RefSummary(ref.change, 0, None)


def _short(title: str | None) -> str | None:
    return title if title is None or len(title) <= MAX_TITLE_LENGTH else f"{title[: MAX_TITLE_LENGTH - 3]}..."


async def _pages(repo_path: Path, moved: Sequence[Change]) -> list[PageChange]:
    for change in moved:
        if change.branch == BRANCH and change.new != ZERO:
            paths = await asyncio.to_thread(counting.files_between, repo_path, change.old, change.new)
            before, after = ([slug for path in side if (slug := slug_at(path))] for side in paths)
            if before or after:
                return [PageChange(before[0] if before else None, after[0] if after else None)]
    return []
