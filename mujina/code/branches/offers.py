"""The branch that a form offers to commit to."""

from urllib.parse import urlencode

from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository
from mujina.code.protected_branches.rules import may_push_under, protections
from mujina.code.pushes.changes import BRANCHES, ZERO, Change
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest, Redirect
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects.rules import ProjectRow

MAX_TRIED = 100
"""Names of new branches that are tried."""


async def offered_branch(tx: Tx, actor: Actor, project: ProjectRow, code: Repository, branch: str) -> str:
    """The branch, or a free name like `anna-patch-1` if the actor may push to the project but not to this branch."""
    known = await protections(tx, actor, project.id, project.level)
    if may_push_under(known, branch) or not project.pushable:
        return branch
    names = (f"{actor.username}-patch-{n}" for n in range(1, MAX_TRIED + 1))
    allowed = (name for name in names if may_push_under(known, name) and not commits.is_branch(code, name))
    return next((name for name in allowed if commits.fits(code, Change(BRANCHES + name, ZERO, ZERO))), branch)


def propose_merge(request: PageRequest, source: str, target: str) -> Redirect:
    """To the form that asks to merge one branch of the project into another."""
    query = {"merge_request[source_branch]": source, "merge_request[target_branch]": target}
    return Redirect(f"{request.here}/merge_requests/new?{urlencode(query)}")
