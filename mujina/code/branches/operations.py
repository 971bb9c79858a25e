"""Branches of a project's repository."""

import asyncio

import msgspec

from mujina.adapters.git.objects import commit_of_ref, opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading.commits import CommitInfo
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Action, Committer, Repository, TargetBranch
from mujina.code.protected_branches.rules import Protection
from mujina.code.pushes.changes import BRANCHES, INITIAL_BRANCH, ZERO, Change
from mujina.code.pushes.checks.refs import check_names
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.ref_search import matches
from mujina.code.pushes.repo_paths import repo_path_to_write
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.text.patterns import BadPattern, occurs
from mujina.workspaces.projects.rules import ProjectRow


class BranchInfo(msgspec.Struct, frozen=True):
    name: str
    tip: CommitInfo
    merged: bool
    """Whether the default branch contains all its commits."""


def names(code: Repository, search: str = "", pattern: str = "") -> list[str]:
    """Every branch that matches, sorted by name; 400 for a pattern that cannot be read."""
    found = sorted(ref.removeprefix(BRANCHES) for ref in code.repository.references if ref.startswith(BRANCHES))
    try:
        return [name for name in found if matches(name, search) and occurs(pattern, name)]
    except BadPattern:
        raise errors.unacceptable("regex is invalid") from None


async def initial_branch(tx: Tx, project: ProjectRow) -> str | None:
    """The branch that the first commit of an empty repository creates; None if a default branch exists."""
    if project.default_branch is not None:
        return None
    requested = await tx.value("SELECT p.requested_branch FROM projects p WHERE p.id = :id", id=project.id)
    return requested or INITIAL_BRANCH


async def show(code: Repository, branches: list[str]) -> list[BranchInfo]:
    """Reads these branches, without those that no longer exist and those whose commits are lost."""
    return await asyncio.to_thread(_show, code, branches)


def _show(code: Repository, branches: list[str]) -> list[BranchInfo]:
    repository = opened(code.repo_path)
    default = BRANCHES + (code.default_branch or "")
    head = commit_of_ref(repository, default, skip_lost=True) if code.default_branch else None
    shown: list[BranchInfo] = []
    for name in branches:
        if not reading.is_valid_ref(BRANCHES + name) or BRANCHES + name not in repository.references:
            continue
        commit = commit_of_ref(repository, BRANCHES + name, skip_lost=True)
        if commit is None:
            continue
        tip = reading.info(commit)
        # A branch without commits of its own has nothing that could have been merged.
        unchanged = head is None or str(head.id) == tip.id
        merged = not unchanged and reading.holds(repository, default, tip.id)
        shown.append(BranchInfo(name, tip, merged))
    return shown


async def find(code: Repository, name: str) -> BranchInfo:
    """The branch of this name; 404 if it does not exist, 400 if the name is invalid."""
    if not reading.is_valid_ref(BRANCHES + name):
        raise errors.bad_request("The branch refname is invalid")
    commit_of_ref(code.repository, BRANCHES + name)  # a branch whose commit is lost does exist
    return errors.or_not_found(next(iter(await show(code, [name])), None), "Branch")


async def create(
    services: Services, actor: Actor, project: ProjectRow, name: str, ref: str, initial: str | None
) -> Repository:
    """The repository with a branch at the commit that `ref` names. An empty one gets a first commit on the initial branch."""
    if initial is not None and ref == initial:
        await _create_first_commit(services, actor, project, initial)
    code = await commits.code_of(services, project)
    if name == initial == ref:
        return code
    if name in names(code):
        raise errors.bad_request("Branch already exists")
    if not commits.exists(code, ref):
        raise errors.bad_request("Invalid reference name")
    change = Change(BRANCHES + name, ZERO, commits.find(code, ref).id)
    if check_names([change]) or not commits.fits(code, change):
        raise errors.bad_request(commits.INVALID_BRANCH)
    await move_refs(services, actor, project.id, [change])
    return code


async def _create_first_commit(services: Services, actor: Actor, project: ProjectRow, branch: str) -> None:
    async with services.database.reading() as tx:
        signer = await commits.signer_of(tx, actor)
    code = Repository(
        await repo_path_to_write(services, project.repository_storage, project.id), project.default_branch
    )
    committer = Committer(services, actor, project, code, signer)
    await commits.commit(TargetBranch(committer, branch), [Action("create", "README.md", b"")], "Add README.md")


async def remove(services: Services, actor: Actor, project_id: int, branches: list[BranchInfo]) -> None:
    if branches:
        changes = [Change(BRANCHES + branch.name, branch.tip.id, ZERO) for branch in branches]
        await move_refs(services, actor, project_id, changes)


async def merged(code: Repository, protections: list[Protection]) -> list[BranchInfo]:
    """The branches that are merged into the default branch and not protected."""
    branches = await show(code, names(code))
    return [b for b in branches if b.merged and not any(protection.covers(b.name) for protection in protections)]


class Divergence(msgspec.Struct, frozen=True):
    """How many commits a branch has that the default branch lacks, and the other way round."""

    ahead: int
    behind: int


async def divergences(code: Repository, branches: list[BranchInfo]) -> dict[str, Divergence]:
    """Compares these branches with the default branch, by name."""

    def read() -> dict[str, Divergence]:
        repository = opened(code.repo_path)
        default = code.default_branch
        head = commit_of_ref(repository, BRANCHES + default, skip_lost=True) if default else None
        if head is None:
            return {}
        pairs = {each.name: repository.ahead_behind(each.tip.id, head.id) for each in branches}
        return {name: Divergence(*pair) for name, pair in pairs.items()}

    return await asyncio.to_thread(read)


async def by_age(code: Repository, search: str, since: str) -> tuple[list[BranchInfo], list[BranchInfo]]:
    """The branches with a commit since this moment and the others, the newest first in each."""
    found = await show(code, names(code, search))
    found.sort(key=lambda branch: (commits.written_at(branch.tip), branch.name), reverse=True)
    return (
        [branch for branch in found if commits.written_at(branch.tip) >= since],
        [branch for branch in found if commits.written_at(branch.tip) < since],
    )
