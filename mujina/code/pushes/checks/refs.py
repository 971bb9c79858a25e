"""Which refs a push may move: names, branches, tags. One violation rejects the whole push."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from mujina.adapters.git.objects import database_of
from mujina.adapters.git.refs import is_ancestor
from mujina.code.protected_branches.rules import Protection
from mujina.code.protected_tags.rules import TagProtection, may_create
from mujina.code.pushes.access import NO_PUSH, RepositoryRow
from mujina.code.pushes.changes import BRANCHES, NOTES, TAGS, Change
from mujina.code.pushes.checks.policy import PushPolicy
from mujina.kernel.text.deferred_patterns import deferred_pattern

UNSUPPORTED_REF = "You can only push branches, tags and notes."
INVALID_NAME = "The name '{}' cannot be used for a branch or tag."
NO_DEFAULT_DELETION = "The default branch of a project cannot be deleted."
NO_FORCE_PUSH = "You are not allowed to force push code to a protected branch on this project."
NO_PROTECTED_PUSH = "You are not allowed to push code to protected branches on this project."
NO_PROTECTED_COMMIT = "You are not allowed to push into this branch"
NO_PROTECTED_DELETION = "You are not allowed to delete protected branches from this project."
DELETE_ON_THE_WEB = "You can only delete protected branches using the web interface."
NEVER_THERE = "'{}' was never where this push says that it was."
NO_PROTECTED_TAG = "You are not allowed to create this tag as it is protected."
NO_PROTECTED_TAG_CHANGE = "Protected tags cannot be updated."
NO_PROTECTED_TAG_DELETION = "You are not allowed to delete protected tags from this project."
DELETE_TAG_ON_THE_WEB = "You can only delete protected tags using the web interface."
NO_TAG_CHANGE = "You are not allowed to change existing tags on this project."

_IDENTITY = deferred_pattern(r"[0-9a-f]{40}")
_UNSAFE = deferred_pattern(r"^-|^HEAD$|^refs/|[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]")
"""Lone surrogates stand for bytes that are not UTF-8."""

_MAX_NAME_BYTES = 255
_MAX_DEPTH = 90
"""Slashes in a name: libgit2 stops listing refs at one that is a hundred folders deep."""


def check_names(changes: Sequence[Change]) -> str | None:
    """Why these names are rejected: only branches, tags and notes may move, under unambiguous names. None if none is."""
    for change in changes:
        if not change.ref.startswith((BRANCHES, TAGS, NOTES)):
            return UNSUPPORTED_REF
        name = change.branch or change.tag or change.note or ""
        if not change.deletes and _is_invalid(name):
            return INVALID_NAME.format(name)
    return None


async def check_deletions(repo_path: Path, changes: Sequence[Change]) -> str | None:
    """Reject a deletion whose old object does not exist: git would delete the ref wherever it is."""
    deleted = [change for change in changes if change.deletes]
    return await asyncio.to_thread(_check_old_objects, repo_path, deleted) if deleted else None


def _check_old_objects(repo_path: Path, deleted: Sequence[Change]) -> str | None:
    objects = database_of(repo_path)
    return next((NEVER_THERE.format(change.ref) for change in deleted if change.old not in objects), None)


def _is_invalid(name: str) -> bool:
    if _UNSAFE.search(name) or _IDENTITY.fullmatch(name):
        return True
    return len(name.encode()) > _MAX_NAME_BYTES or name.count("/") > _MAX_DEPTH


async def check_refs(
    repository: RepositoryRow,
    policy: PushPolicy,
    changes: Sequence[Change],
    repo_path: Path,
    environment: Mapping[str, str],
    *,
    web: bool,
    merging: bool,
) -> str | None:
    """Why these refs may not move; None if they may.

    `web`: the request came through the API or a page. `merging`: the right to merge suffices.
    """
    closed = NO_PROTECTED_COMMIT if web else NO_PROTECTED_PUSH
    problem = None
    for change in changes:
        if policy.branches is not None and (change.branch not in policy.branches or change.deletes):
            return NO_PUSH
        if change.note is not None:
            continue  # all who may push write notes
        if change.branch is None:
            problem = _check_tag(change, repository, policy.tags, web=web)
        elif change.deletes:
            problem = _check_deletion(change.branch, repository, policy.protected, web=web)
        elif repository.default_branch is None:
            problem = None if repository.administered or repository.level >= policy.first_push_level else closed
        else:
            covering = [protection for protection in policy.protected if protection.covers(change.branch)]
            problem = await _check_branch(change, covering, repo_path, environment, closed, merging=merging)
        if problem is not None:
            return problem
    return None


def _check_tag(change: Change, repository: RepositoryRow, protected: list[TagProtection], *, web: bool) -> str | None:
    """Grantees create a protected tag, no one moves it, and masters delete it on the web."""
    if not any(protection.covers(change.tag or "") for protection in protected):
        return None if repository.administered or change.creates else NO_TAG_CHANGE
    if change.creates:
        return None if may_create(protected, change.tag or "") else NO_PROTECTED_TAG
    if not change.deletes:
        return NO_PROTECTED_TAG_CHANGE
    if not repository.administered:
        return NO_PROTECTED_TAG_DELETION
    return None if web else DELETE_TAG_ON_THE_WEB


def _check_deletion(
    branch: str, repository: RepositoryRow, protected: Sequence[Protection], *, web: bool
) -> str | None:
    if branch == repository.default_branch:
        return NO_DEFAULT_DELETION
    if not any(protection.covers(branch) for protection in protected):
        return None
    if not repository.administered:
        return NO_PROTECTED_DELETION
    return None if web else DELETE_ON_THE_WEB


async def _check_branch(
    change: Change,
    covering: Sequence[Protection],
    repo_path: Path,
    environment: Mapping[str, str],
    closed: str,
    *,
    merging: bool,
) -> str | None:
    """A protected branch is moved by users whom one of its protections allows to push, or to merge.

    It is only fast-forwarded, unless a protection under which they push allows more.
    """
    if not covering:
        return None
    forced = any(protection.may_push and protection.allow_force_push for protection in covering)
    if not change.creates and not forced and not await is_ancestor(repo_path, change.old, change.new, environment):
        return NO_FORCE_PUSH
    # Compat: of several protections the most permissive one applies.
    allowed = any(protection.may_push or (merging and protection.may_merge) for protection in covering)
    return None if allowed else closed
