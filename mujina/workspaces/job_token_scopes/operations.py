"""Limiting the job tokens that open a project, and letting in the jobs of others."""

from mujina.kernel import errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.owners.rules import OwnerOrInstance

ALREADY_ALLOWED = "is already in the allowlist"


async def limit(tx: Tx, actor: Actor, project_id: int, *, enabled: bool) -> None:
    """Let in only jobs of the project and of those on its allowlist, or those of all projects, from the next request on."""
    if enabled:
        changed = await insert(tx, "job_token_limits", "ON CONFLICT DO NOTHING", project_id=project_id)
    else:
        changed = await tx.run("DELETE FROM job_token_limits WHERE project_id = :id", id=project_id)
    if changed:
        await _record(tx, actor, project_id, {"inbound_enabled": (not enabled, enabled)})


async def allow(tx: Tx, actor: Actor, project_id: int, target: OwnerOrInstance) -> None:
    """Let in the jobs of a project, or of all projects below a group; 400 if they get in already."""
    added = target.project_id != project_id and await insert(
        tx, "job_token_allowlist", "ON CONFLICT DO NOTHING", project_id=project_id,
        allowed_project_id=target.project_id, allowed_group_id=target.group_id,
    )  # fmt: skip
    if not added:
        raise errors.invalid({f"target_{target.kind}": [ALREADY_ALLOWED]})
    await _record(tx, actor, project_id, {f"allowed_{target.kind}": (None, target.project_id or target.group_id)})


async def disallow(tx: Tx, actor: Actor, project_id: int, target: OwnerOrInstance) -> None:
    """Take a project or a group off the allowlist; 404 if it is not on it."""
    removed = await tx.run(
        """DELETE FROM job_token_allowlist WHERE project_id = :project_id
           AND (allowed_project_id = :allowed_project_id OR allowed_group_id = :allowed_group_id)""",
        project_id=project_id,
        allowed_project_id=target.project_id,
        allowed_group_id=target.group_id,
    )
    if not removed:
        raise errors.not_found(target.kind.capitalize())
    await _record(tx, actor, project_id, {f"allowed_{target.kind}": (target.project_id or target.group_id, None)})


async def _record(tx: Tx, actor: Actor, project_id: int, changes: dict[str, tuple[bool | int | None, ...]]) -> None:
    await record(tx, "job_token_scope.updated", actor, subject_id=project_id, project_id=project_id, changes=changes)
