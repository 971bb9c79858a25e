"""Branches as responses show them."""

from collections.abc import Sequence
from urllib.parse import quote

import msgspec

from mujina.code.branches.operations import BranchInfo
from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.protected_branches.rules import Protection, protections
from mujina.code.pushes.collaboration import collaboration_branches
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.workspaces.projects.rules import ProjectRow


class Branch(msgspec.Struct):
    name: str
    commit: Commit
    merged: bool
    protected: bool
    developers_can_push: bool
    developers_can_merge: bool
    # Compat: `can_push`, `default` and `web_url` are younger than the specification; today's clients require them.
    can_push: bool
    default: bool
    web_url: str


async def shown_branches(tx: Tx, actor: Actor, project: ProjectRow, branches: Sequence[BranchInfo]) -> list[Branch]:
    """Branches with their protections and the rights of the actor."""
    protected, offered = await protections(tx, actor, project.id, project.level), frozenset[str]()
    if not (project.pushable or project.archived or actor.anonymous):
        offered = await collaboration_branches(tx, actor, project.id)
    return [_to_branch(branch, project, protected, offered) for branch in branches]


def _to_branch(branch: BranchInfo, project: ProjectRow, protected: list[Protection], offered: frozenset[str]) -> Branch:
    """`offered`: branches that the actor may push to as well."""
    covering = [protection for protection in protected if protection.covers(branch.name)]
    return Branch(
        name=branch.name,
        commit=shown_commit(branch.tip, project.full_path),
        merged=branch.merged,
        protected=bool(covering),
        developers_can_push=any(protection.developers_can_push for protection in covering),
        developers_can_merge=any(protection.developers_can_merge for protection in covering),
        can_push=(project.pushable or branch.name in offered)
        and (not covering or any(protection.may_push for protection in covering)),
        default=branch.name == project.default_branch,
        web_url=web(f"/{project.full_path}/tree/") + quote(branch.name),
    )
