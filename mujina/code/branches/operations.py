"""Branches, as they stand in the repository."""

import asyncio

import msgspec

from mujina.adapters import git_reading
from mujina.adapters.git_objects import opened
from mujina.adapters.git_reading import CommitInfo
from mujina.code.commits.operations import Code
from mujina.code.pushes.changes import BRANCHES, PREFERRED_BRANCH
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import ProjectRow


class BranchInfo(msgspec.Struct, frozen=True):
    name: str
    tip: CommitInfo
    merged: bool
    """The default branch holds everything it has."""


def names(code: Code, search: str = "") -> list[str]:
    """Every branch, in the order of names."""
    found = sorted(ref.removeprefix(BRANCHES) for ref in opened(code.place).references if ref.startswith(BRANCHES))
    return [name for name in found if search.casefold() in name.casefold()]


async def beginning_of(tx: Tx, project: ProjectRow) -> str | None:
    """The branch that an empty repository begins with; None if there is a default one already."""
    if project.default_branch is not None:
        return None
    wished = await tx.value("SELECT p.wished_branch FROM projects p WHERE p.id = :id", id=project.id)
    return wished or PREFERRED_BRANCH


def exists(code: Code, name: str) -> bool:
    return name in names(code)


async def show(code: Code, wanted: list[str]) -> list[BranchInfo]:
    """These branches, those that are gone left out."""
    return await asyncio.to_thread(_show, code, wanted)


def _show(code: Code, wanted: list[str]) -> list[BranchInfo]:
    repository = opened(code.place)
    default = BRANCHES + (code.default_branch or "")
    head = git_reading.find_commit(repository, code.default_branch) if code.default_branch else None
    shown: list[BranchInfo] = []
    for name in wanted:
        if not git_reading.is_valid_ref(BRANCHES + name) or BRANCHES + name not in repository.references:
            continue
        commit = git_reading.find_commit(repository, name)
        if commit is None:
            continue
        tip = git_reading.info(commit)
        # One that has just been made has nothing in it that could have been merged.
        begun = head is None or str(head.id) == tip.id
        merged = not begun and git_reading.holds(repository, default, tip.id)
        shown.append(BranchInfo(name, tip, merged))
    return shown


async def find(code: Code, name: str) -> BranchInfo:
    """The branch of this name; 404 if there is none, 400 if there can be none."""
    if not git_reading.is_valid_ref(BRANCHES + name):
        raise errors.bad_request("The branch refname is invalid")
    found = await show(code, [name])
    if not found:
        raise errors.not_found("Branch")
    return found[0]
