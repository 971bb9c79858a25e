"""Branches as responses show them."""

from urllib.parse import quote

import msgspec

from mujina.code.branches.operations import BranchInfo
from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.protected_branches.rules import Protection
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


def shown_branch(
    branch: BranchInfo, project: ProjectRow, protections: list[Protection], offered: frozenset[str]
) -> Branch:
    """A branch with its protections; both carry the rights of the caller. `offered`: branches they may push to as well."""
    covering = [protection for protection in protections if protection.covers(branch.name)]
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
