"""Moving a project into a group."""

from typing import Any

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.rules import lock_trees
from mujina.kernel import clock, errors
from mujina.kernel.access import exceeds
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.params import Ref
from mujina.kernel.rules import Rule
from mujina.workspaces.groups.rules import READ_GROUP, GroupRow, find_group
from mujina.workspaces.members.sharing import unshare_above
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow, find_project


async def find_transfer(
    tx: Tx, actor: Actor, project_ref: Ref, group_ref: Ref, *, to: Rule = READ_PROJECT, into: Rule = READ_GROUP
) -> tuple[ProjectRow, GroupRow]:
    """A project and the group to move it into, read while both trees are locked: in one step, so that no two deadlock.

    `to` and `into` are what the actor must be allowed to do with them.
    """
    await lock_trees(tx, group_ref, project=project_ref)
    group = await find_group(tx, actor, group_ref, to=into)
    return await find_project(tx, actor, project_ref, to=to), group


async def transfer(tx: Tx, actor: Actor, project: ProjectRow, group: GroupRow) -> None:
    """Move the project into the group and make it no more visible than the group. Both trees must be locked."""
    if project.namespace_id == group.id:
        raise errors.bad_request("Transfer failed, please contact an admin.")
    full_path = f"{group.full_path}/{project.path}"
    await _check_free(tx, project, group, full_path)
    visibility = group.visibility if exceeds(project.visibility, group.visibility) else project.visibility
    moved = await tx.run(
        """UPDATE projects SET namespace_id = :group_id, visibility = :visibility, updated_at = :now
           WHERE id = :id AND deleted_at IS NULL""",
        id=project.id, group_id=group.id, visibility=visibility, now=clock.now(),
    )  # fmt: skip
    if not moved:
        raise errors.not_found("Project")
    await paths.move(tx, project.full_path, full_path)
    await unshare_above(tx, project.id, group.id)
    changes: dict[str, Any] = {
        "namespace_id": (project.namespace_id, group.id),
        "path_with_namespace": (project.full_path, full_path),
    }
    if visibility != project.visibility:
        changes["visibility"] = (project.visibility, visibility)
    await record(
        tx, "project.transferred", actor, subject_id=project.id, project_id=project.id, group_id=group.id,
        changes=changes,
    )  # fmt: skip


async def _check_free(tx: Tx, project: ProjectRow, group: GroupRow, full_path: str) -> None:
    named = await tx.value(
        "SELECT 1 FROM projects p WHERE p.namespace_id = :id AND p.name = :name AND p.deleted_at IS NULL",
        id=group.id,
        name=project.name,
    )
    if await paths.taken(tx, full_path):
        raise _taken("path")
    if named:
        raise _taken("name")


def _taken(what: str) -> errors.ApiError:
    # Compat: clients of this API family know the error in this notation.
    reason = f"Project with same {what} in target namespace already exists"
    return errors.bad_request(f'Failed to transfer project {{:new_namespace=>["{reason}"]}}')
