"""What is told of refs that moved: how many commits that brought, and which pages of a wiki it changed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from mujina.adapters import git, git_counting
from mujina.adapters.git_objects import opened
from mujina.code.repositories.changes import BRANCHES, ZERO, Account, Change, Move, PageChange, first_branch
from mujina.code.wikis.slugs import BRANCH, slug_at

if TYPE_CHECKING:
    from pygit2 import Repository

LONGEST_TITLE: Final = 70
WHOLE_HISTORY: Final = -1
"""In place of a number: that is still to be counted."""


async def account_for(place: Path, moved: Sequence[Change], default_branch: str | None) -> Account:
    """Each ref that moved, with what it brought. Whatever cannot be read any more counts for nothing."""
    moves = await asyncio.to_thread(_moves, place, moved, default_branch or first_branch(moved))
    return Account([await _counted(place, move) for move in moves], [])


async def account_for_wiki(place: Path, moved: Sequence[Change], *, web: bool) -> Account:
    """The same of a wiki; and if it was changed through the API, which page that was about."""
    account = await account_for(place, moved, BRANCH)
    # Compat: of pages that came with a push of git nothing is told.
    return msgspec.structs.replace(account, pages=await _pages(place, moved)) if web else account


def _moves(place: Path, moved: Sequence[Change], default: str | None) -> list[Move]:
    repository = opened(place)
    base = git_counting.tip_of(repository, f"{BRANCHES}{default}")
    return [_move(repository, change, None if change.branch == default else base) for change in moved]


def _move(repository: "Repository", change: Change, base: str | None) -> Move:
    """A new branch brings what the default one has not; a tag, the commit it leads to."""
    if change.deletes:
        return Move(change, 0, None)
    title = git_counting.title_of(repository, change.new)
    if title is None or change.tag is not None:
        return Move(change, 0 if title is None else 1, _short(title))
    since = base if change.creates else change.old
    count = WHOLE_HISTORY if since is None else git_counting.count_between(repository, since, change.new)
    return Move(change, count, _short(title) if count else None)


async def _counted(place: Path, move: Move) -> Move:
    """The same; a whole history may be long, and is left to git."""
    if move.commit_count != WHOLE_HISTORY:
        return move
    try:
        return msgspec.structs.replace(move, commit_count=await git_counting.count_all(place, move.change.new))
    except git.Failed:
        return Move(move.change, 0, None)


def _short(title: str | None) -> str | None:
    return title if title is None or len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 3]}..."


async def _pages(place: Path, moved: Sequence[Change]) -> list[PageChange]:
    for change in moved:
        if change.branch == BRANCH and change.new != ZERO:
            gone, come = await asyncio.to_thread(git_counting.files_between, place, change.old, change.new)
            before, after = ([slug for path in paths if (slug := slug_at(path))] for paths in (gone, come))
            if before or after:
                return [PageChange(before[0] if before else None, after[0] if after else None)]
    return []
