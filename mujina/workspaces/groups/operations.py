"""What happens to groups. Who changes the shape of a tree holds it first: see `namespaces.operations.hold`."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, LiteralString

from mujina.accounts.paths import operations as paths
from mujina.instance.custom_attributes import operations as attributes
from mujina.kernel import errors
from mujina.kernel.access import OWNER
from mujina.kernel.actor import Actor
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import TAKEN
from mujina.kernel.events import record
from mujina.kernel.params import UNSET, Ref
from mujina.workspaces.groups import validation
from mujina.workspaces.groups.params import CreateGroup, EditGroup, GroupSettings
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from mujina.workspaces.projects import removal as projects


async def create(tx: Tx, actor: Actor, change: CreateGroup) -> int:
    """A new group, at the top or below another one; whoever makes it owns it."""
    validation.check_limit(actor, change)
    parent = await _find_parent(tx, actor, change.parent_id or None)
    visibility = await validation.check_new(tx, actor, parent, change)
    parent_id = parent.id if parent else None
    with _twins():
        group_id = await paths.open_for_group(tx, change.name, change.path, parent_id)
    await tx.run("INSERT INTO groups (id) VALUES (:id)", id=group_id)
    await _plant(tx, group_id, parent_id)
    columns = _columns(change) | {"visibility": visibility}
    if parent is not None and parent.share_with_group_lock:
        columns["share_with_group_lock"] = True
    await _store(tx, group_id, columns)
    if not actor.anonymous:
        await members.seat(tx, Source("group", group_id), actor.id, OWNER)
    await record(tx, "group.created", actor, subject_id=group_id, group_id=group_id)
    return group_id


async def edit(tx: Tx, actor: Actor, group: GroupRow, change: EditGroup) -> None:
    """Apply the change and record it; a new path or name moves everything below. The tree must be held."""
    validation.check_limit(actor, change)
    name = change.name if change.name is not UNSET else group.name
    path = change.path if change.path is not UNSET else group.path
    await validation.check_edit(tx, actor, group, name, path, change)
    with _twins():
        await paths.rename(tx, group.id, name, path)
    columns = _columns(change)
    await _store(tx, group.id, columns)
    after = {**columns, "name": name, "path": path}
    changes = {field: (old, new) for field, new in after.items() if (old := getattr(group, field)) != new}
    await record(tx, "group.updated", actor, subject_id=group.id, group_id=group.id, changes=changes)


async def remove(tx: Tx, actor: Actor, group: GroupRow) -> None:
    """Gone from every answer at once, with everything below; its data is removed by the job that follows the event.

    The tree must be held. Without its rows in `group_tree`, membership of the group gives access to nothing.
    """
    await projects.remove_below(tx, group.id)
    await members.unshare_below(tx, group.id)
    await paths.close(tx, group.full_path)
    await tx.run(
        "DELETE FROM group_tree WHERE group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)",
        id=group.id,
    )
    await record(
        tx, "group.deleted", actor, subject_id=group.id, group_id=group.id,
        changes={"name": (group.name, None), "full_path": (group.full_path, None)},
    )  # fmt: skip


async def erase(tx: Tx, group_id: int) -> None:
    """The rows of a deleted group and of the groups below it; their projects are erased before."""
    ids = await below(tx, group_id)
    for id_ in ids:
        await members.forget(tx, Source("group", id_))
    await attributes.forget(tx, "group", ids)
    await paths.erase(tx, ids)


async def below(tx: Tx, group_id: int) -> list[int]:
    """A deleted group and those below it, by their rows: the tree no longer knows them."""
    return await tx.values(
        """
        WITH RECURSIVE gone(id) AS (
            SELECT n.id FROM namespaces n WHERE n.id = :id AND n.deleted_at IS NOT NULL
            UNION ALL
            SELECT n.id FROM gone JOIN namespaces n ON n.parent_id = gone.id)
        SELECT id FROM gone
        """,
        id=group_id,
    )


async def _find_parent(tx: Tx, actor: Actor, parent_id: int | None) -> GroupRow | None:
    """Whose owner may create below it, held; None: at the top, where it takes the right to create groups."""
    if parent_id is None:
        if not (actor.can_create_group or actor.admin):
            raise errors.forbidden()
        return None
    await paths.lock_trees(tx, Ref.of(parent_id))
    return await find_group(tx, actor, Ref.of(parent_id), to=ADMIN_GROUP)


@contextmanager
def _twins() -> Generator[None]:
    """Two that claim one name or path at the same moment: the later one hears that it is taken."""
    try:
        yield
    except UniqueViolation as twin:
        raise errors.invalid({"name" if "name" in twin.columns else "path": [TAKEN]}) from None


async def _plant(tx: Tx, group_id: int, parent_id: int | None) -> None:
    """The group stands in the tree, below all that its parent stands below."""
    await tx.run(
        """
        INSERT INTO group_tree (group_id, ancestor_id, depth)
        SELECT CAST(:id AS bigint), CAST(:id AS bigint), 0
        UNION ALL
        SELECT CAST(:id AS bigint), t.ancestor_id, t.depth + 1 FROM group_tree t WHERE t.group_id = :parent_id
        """,
        id=group_id,
        parent_id=parent_id,
    )


_SETTERS: dict[str, LiteralString] = {
    "description": "description = :description",
    "visibility": "visibility = :visibility",
    "lfs_enabled": "lfs_enabled = :lfs_enabled",
    "request_access_enabled": "request_access_enabled = :request_access_enabled",
    "membership_lock": "membership_lock = :membership_lock",
    "share_with_group_lock": "share_with_group_lock = :share_with_group_lock",
    "shared_runners_minutes_limit": "shared_runners_minutes_limit = :shared_runners_minutes_limit",
}


def _columns(change: GroupSettings) -> dict[str, Any]:
    """The settings a request gives, as they are stored."""
    columns = {name: value for name, value in change.given().items() if name in _SETTERS}
    if "description" in columns:
        columns["description"] = columns["description"] or ""
    return columns


async def _store(tx: Tx, group_id: int, columns: dict[str, Any]) -> None:
    if columns:
        setters = ", ".join(_SETTERS[name] for name in columns)
        await tx.run(f"UPDATE groups SET {setters} WHERE id = :id", id=group_id, **columns)
    if columns.get("share_with_group_lock"):
        # The lock goes down to every group below, so that access need only look at the group right above a project.
        await tx.run(
            """UPDATE groups SET share_with_group_lock = TRUE
               WHERE id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)""",
            id=group_id,
        )
