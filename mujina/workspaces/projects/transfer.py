"""Moving a project into a group or into the namespace of a user."""

from typing import Annotated, Any

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.rules import lock_trees
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import MASTER, Visibility, exceeds
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.groups.rules import READ_GROUP, GroupRow, find_group
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.granting.sharing import unshare_above
from mujina.workspaces.members.rules import Source
from mujina.workspaces.namespaces.rules import CREATE_PROJECT, HAS_ROOM, READ_NAMESPACE, SOURCE
from mujina.workspaces.projects.origins.naming import is_name_taken
from mujina.workspaces.projects.rules import OWN_PROJECT, READ_PROJECT, ProjectRow, find_project


async def find_transfer(
    tx: Tx, actor: Actor, project_ref: Ref, group_ref: Ref, *, to: Rule = READ_PROJECT, into: Rule = READ_GROUP
) -> tuple[ProjectRow, GroupRow]:
    """A project and the group to move it into, read while both trees are locked: in one step, so that no two deadlock.

    `to` and `into` are what the actor must be allowed to do with them.
    """
    await lock_trees(tx, group_ref, project=project_ref)
    group = await find_group(tx, actor, group_ref, to=into)
    return await find_project(tx, actor, project_ref, to=to), group


class NamespaceTarget(Row, alias="n"):
    """A namespace into which a project may be moved, and what the actor may do there."""

    id: int
    full_path: Annotated[str, "r.path"]
    visibility: Annotated[Visibility | None, "g.visibility"]
    """The visibility of a group; a user's namespace has none."""
    owner_id: int | None
    """The owner of a user's namespace."""
    readable: Annotated[bool, READ_NAMESPACE]
    allowed: Annotated[bool, CREATE_PROJECT]
    room: Annotated[bool, HAS_ROOM]


async def find_namespace_transfer(
    tx: Tx, actor: Actor, project_ref: Ref, namespace_ref: Ref
) -> tuple[ProjectRow, NamespaceTarget]:
    """A project that the actor owns and the namespace to move it into, read while both trees are locked.

    404 for a namespace that the actor may not see, 403 for one in which they may not create projects.
    """
    await lock_trees(tx, namespace_ref, project=project_ref)
    project = await find_project(tx, actor, project_ref, to=OWN_PROJECT)
    target = await tx.row(
        NamespaceTarget,
        f"""SELECT {NamespaceTarget.columns} FROM {SOURCE} WHERE n.deleted_at IS NULL AND n.id = coalesce(
            CAST(:ref_id AS bigint), (SELECT named.namespace_id FROM routes named WHERE named.path_folded = :ref_path))""",
        **namespace_ref.bound,
        **actor.bound,
    )
    if target is None or not target.readable:
        raise errors.not_found("Namespace")
    if not target.allowed or not target.room:
        raise errors.forbidden()
    return project, target


async def transfer(tx: Tx, actor: Actor, project: ProjectRow, target: GroupRow | NamespaceTarget) -> None:
    """Move the project into the namespace and make it no more visible than its group. Both trees must be locked."""
    if project.namespace_id == target.id:
        raise errors.bad_request("Transfer failed, please contact an admin.")
    full_path = f"{target.full_path}/{project.path}"
    await _check_free(tx, project, target.id, full_path)
    ceiling = target.visibility
    visibility = ceiling if ceiling is not None and exceeds(project.visibility, ceiling) else project.visibility
    moved = await tx.run(
        """UPDATE projects SET namespace_id = :namespace_id, visibility = :visibility, updated_at = :now
           WHERE id = :id AND deleted_at IS NULL""",
        id=project.id, namespace_id=target.id, visibility=visibility, now=clock.now(),
    )  # fmt: skip
    if not moved:
        raise errors.not_found("Project")
    await paths.move(tx, project.full_path, full_path)
    await unshare_above(tx, project.id, target.id)
    if isinstance(target, NamespaceTarget) and target.owner_id is not None:
        await members.add_first(tx, Source("project", project.id), target.owner_id, MASTER)
    changes: dict[str, Any] = {
        "namespace_id": (project.namespace_id, target.id),
        "path_with_namespace": (project.full_path, full_path),
    }
    if visibility != project.visibility:
        changes["visibility"] = (project.visibility, visibility)
    await record(
        tx, "project.transferred", actor, subject_id=project.id, project_id=project.id,
        group_id=None if target.visibility is None else target.id, changes=changes,
    )  # fmt: skip


async def _check_free(tx: Tx, project: ProjectRow, namespace_id: int, full_path: str) -> None:
    if await paths.taken(tx, full_path):
        raise _taken("path")
    if await is_name_taken(tx, namespace_id, project.name):
        raise _taken("name")


def _taken(what: str) -> errors.ApiError:
    # Compat: clients of this API family know the error in this notation.
    reason = f"Project with same {what} in target namespace already exists"
    return errors.bad_request(f'Failed to transfer project {{:new_namespace=>["{reason}"]}}')
