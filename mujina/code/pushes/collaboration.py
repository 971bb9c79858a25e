"""Branches of a fork that members of another project may push to, because a merge request into it says so."""

from typing import LiteralString

from mujina.code.protected_branches.rules import may_merge_into, protections
from mujina.code.pushes.access import AccessDenied, find_repository
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.members.access import PROJECT_LEVEL, developer

_OFFERED: LiteralString = f"""
    SELECT mr.source_branch, mr.target_branch, p.id, {PROJECT_LEVEL}, {developer.standalone}
    FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
    WHERE mr.source_project_id = :project_id AND mr.project_id <> :project_id AND mr.state = 'opened'
    AND mr.allow_collaboration AND p.deleted_at IS NULL AND NOT p.archived"""


async def collaboration_branches(tx: Tx, actor: Actor, project_id: int) -> frozenset[str]:
    """The branches from which an open request asks to be merged where the actor may merge."""
    offered = await tx.rows(tuple[str, str, int, int, bool], _OFFERED, project_id=project_id, **actor.bound)
    return frozenset(
        [
            branch
            for branch, target_branch, target_id, level, is_developer in offered
            if await may_merge_into(tx, actor, target_id, level, target_branch, developer=is_developer)
        ]
    )


async def may_push_to(tx: Tx, actor: Actor, project_id: int, branch: str) -> bool:
    """Whether the actor may push to the branch: as its protections say, and if they may push there at all."""
    try:
        repository = await find_repository(tx, actor, Ref.of(project_id), "receive-pack")
    except AccessDenied:
        return False
    known = await protections(tx, actor, project_id, repository.level)
    covering = [protection for protection in known if protection.covers(branch)]
    if covering and not any(protection.may_push for protection in covering):
        return False
    return repository.member or branch in await collaboration_branches(tx, actor, project_id)
