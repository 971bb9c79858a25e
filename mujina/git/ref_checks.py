"""Which refs may be moved, by whom and how: names, branches, tags. One refusal refuses the whole push."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from mujina.adapters.git_objects import database_of
from mujina.adapters.git_refs import is_ancestor
from mujina.code.protected_branches.rules import Protection
from mujina.code.repositories.changes import BRANCHES, TAGS, Change
from mujina.git.access import RepositoryRow
from mujina.git.standing import Demands
from mujina.kernel.access import MASTER
from mujina.kernel.actor import Actor

ODD_REF = "You can only push branches and tags."
ODD_NAME = "The name '{}' cannot be used for a branch or tag."
NO_DEFAULT_DELETION = "The default branch of a project cannot be deleted."
NO_FORCE_PUSH = "You are not allowed to force push code to a protected branch on this project."
NO_PROTECTED_PUSH = "You are not allowed to push code to protected branches on this project."
NO_PROTECTED_COMMIT = "You are not allowed to push into this branch"
NO_PROTECTED_DELETION = "You are not allowed to delete protected branches from this project."
DELETE_ON_THE_WEB = "You can only delete protected branches using the web interface."
NEVER_THERE = "'{}' was never where this push says that it was."
NO_TAG_CHANGE = "You are not allowed to change existing tags on this project."

_IDENTITY = re.compile(r"[0-9a-f]{40}")
_UNSAFE = re.compile(r"^-|^HEAD$|^refs/|[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]")
"""Lone surrogates stand for what is no text."""

_LONGEST = 255
_DEEPEST = 90
"""Folders in a name: libgit2 tells of no further ref once it has met one a hundred folders deep."""


def check_names(changes: Sequence[Change]) -> str | None:
    """Only branches and tags, under names that mean one thing everywhere."""
    for change in changes:
        if not change.ref.startswith((BRANCHES, TAGS)):
            return ODD_REF
        name = change.branch or change.tag or ""
        if not change.deletes and _is_odd(name):
            return ODD_NAME.format(name)
    return None


async def check_deletions(place: Path, changes: Sequence[Change]) -> str | None:
    """Whether what is deleted was ever there: said to be an object that git does not know, it deletes whatever is there."""
    gone = [change for change in changes if change.deletes]
    return await asyncio.to_thread(_never_there, place, gone) if gone else None


def _never_there(place: Path, gone: Sequence[Change]) -> str | None:
    objects = database_of(place)
    return next((NEVER_THERE.format(change.ref) for change in gone if change.old not in objects), None)


def _is_odd(name: str) -> bool:
    if _UNSAFE.search(name) or _IDENTITY.fullmatch(name):
        return True
    return len(name.encode()) > _LONGEST or name.count("/") > _DEEPEST


async def check_refs(
    actor: Actor,
    repository: RepositoryRow,
    demands: Demands,
    changes: Sequence[Change],
    place: Path,
    environment: Mapping[str, str],
    *,
    web: bool,
) -> str | None:
    """What is wrong with moving these refs; None: nothing. `web`: asked for through the API or a page."""
    master = actor.admin or repository.level >= MASTER
    closed = NO_PROTECTED_COMMIT if web else NO_PROTECTED_PUSH
    refusal = None
    for change in changes:
        if change.branch is None:
            refusal = None if master or change.creates else NO_TAG_CHANGE
        elif change.deletes:
            refusal = _check_deletion(change.branch, repository, demands.protected, master=master, web=web)
        elif repository.default_branch is None:
            refusal = None if master or repository.level >= demands.first else closed
        else:
            refusal = await _check_branch(change, change.branch, demands.protected, place, environment, closed)
        if refusal is not None:
            return refusal
    return None


def _check_deletion(
    branch: str, repository: RepositoryRow, protected: Sequence[Protection], *, master: bool, web: bool
) -> str | None:
    if branch == repository.default_branch:
        return NO_DEFAULT_DELETION
    if not any(protection.covers(branch) for protection in protected):
        return None
    if not master:
        return NO_PROTECTED_DELETION
    return None if web else DELETE_ON_THE_WEB


async def _check_branch(
    change: Change,
    branch: str,
    protected: Sequence[Protection],
    place: Path,
    environment: Mapping[str, str],
    closed: str,
) -> str | None:
    """A protected branch only grows, and only by those whom a protection that covers it lets through."""
    covering = [protection for protection in protected if protection.covers(branch)]
    if not covering:
        return None
    if not change.creates and not await is_ancestor(place, change.old, change.new, environment):
        return NO_FORCE_PUSH
    # Compat: of several protections the most generous one counts.
    return None if any(protection.may_push for protection in covering) else closed
