"""Changes of groups. A change of the shape of a tree needs the lock of the tree: `find_group(…, lock=True)`."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final, LiteralString

from mujina.accounts.paths import operations as paths
from mujina.instance.custom_attributes import operations as attributes
from mujina.kernel import errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.permissions.levels import OWNER
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.removals import Cleanup, clean_up
from mujina.workspaces.groups import validation
from mujina.workspaces.groups.params import STORED, CreateGroup, EditGroup, GroupSettings
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.granting import sharing
from mujina.workspaces.members.rules import Source
from mujina.workspaces.projects.removing import with_owner as projects
from mujina.workspaces.stored_settings.storing import is_given, merged

GROUP_MEMBERS: Final = ExtensionPoint[Cleanup[Tx, list[int]]]("work that needs the members of removed groups")
"""Runs in a job, before the members of the groups go: False while they are needed; the argument is the groups' ids."""

GOES_ALONE: LiteralString = """NOT EXISTS (SELECT 1 FROM namespaces n JOIN namespaces above ON above.id = n.parent_id
    WHERE n.id = :subject_id AND above.deleted_at IS NOT NULL)"""
"""Whether a deleted group goes by itself, not with one above it, whose job removes both."""

GROUP_ROWS: Final = ExtensionPoint[Cleanup[Tx, list[int]]]("rows of groups")
"""Runs in a job, before the rows of the groups go."""


async def create(tx: Tx, actor: Actor, change: CreateGroup) -> int:
    """Create a group, at the top level or in another one; its creator owns it."""
    validation.check_limit(actor, change)
    parent = await find_parent(tx, actor, change.parent_id or None, lock=True)
    visibility = await validation.check_new(tx, actor, parent, change)
    parent_id = parent.id if parent else None
    with conflicts_as_taken():
        group_id = await paths.create_group_namespace(tx, change.name, change.path, parent_id)
    await insert(tx, "groups", id=group_id)
    await insert_into_tree(tx, group_id, parent_id)
    columns = _columns(change) | {"visibility": visibility}
    if parent is not None and parent.share_with_group_lock:
        columns["share_with_group_lock"] = True
    await store(tx, group_id, columns | await _stored_settings(tx, group_id, change))
    if not actor.anonymous:
        await members.add_first(tx, Source("group", group_id), actor.id, OWNER)
    await record(tx, "group.created", actor, subject_id=group_id, group_id=group_id)
    return group_id


async def edit(tx: Tx, actor: Actor, group: GroupRow, change: EditGroup) -> None:
    """Apply the change and record it; a new path or name moves everything below. The tree must be locked."""
    validation.check_limit(actor, change)
    name = change.name if change.name is not UNSET else group.name
    path = change.path if change.path is not UNSET else group.path
    await validation.check_edit(tx, actor, group, name, path, change)
    with conflicts_as_taken():
        await paths.rename(tx, group.id, name, path)
    columns = _columns(change)
    await store(tx, group.id, columns | await _stored_settings(tx, group.id, change))
    after = {**columns, "name": name, "path": path}
    changes = {field: (old, new) for field, new in after.items() if (old := getattr(group, field)) != new}
    await record(tx, "group.updated", actor, subject_id=group.id, group_id=group.id, changes=changes)


async def limit_minutes(tx: Tx, actor: Actor, group_id: int, minutes: int | None) -> None:
    """Set the limit of runner minutes of the group; None: the limit of the instance."""
    before = await tx.value("SELECT g.shared_runners_minutes_limit FROM groups g WHERE g.id = :id", id=group_id)
    if before != minutes:
        await update(tx, "groups", {"shared_runners_minutes_limit": minutes}, id=group_id)
        changes = {"shared_runners_minutes_limit": (before, minutes)}
        await record(tx, "group.updated", actor, subject_id=group_id, group_id=group_id, changes=changes)


async def remove(tx: Tx, actor: Actor, group: GroupRow) -> None:
    """Hide the group and everything below from every answer at once; a job that follows the event removes the data.

    The tree must be locked. Without its rows in `group_tree`, membership of the group gives access to nothing.
    """
    await projects.remove_below(tx, group.id)
    await sharing.unshare_below(tx, actor, group.id)
    await paths.close(tx, group.full_path)
    await tx.run(
        "DELETE FROM group_tree WHERE group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)",
        id=group.id,
    )
    await record(
        tx, "group.deleted", actor, subject_id=group.id, group_id=group.id,
        changes={"name": (group.name, None), "full_path": (group.full_path, None)},
    )  # fmt: skip


async def erase(tx: Tx, ids: list[int]) -> bool:
    """Delete the rows of these deleted groups; what is in them must be erased before. False: call it again."""
    if not await clean_up(tx.product.all(GROUP_ROWS), tx, ids):
        return False
    for id_ in ids:
        await members.delete_all(tx, Source("group", id_))
    await attributes.delete_all(tx, "group", ids)
    await paths.erase(tx, ids)
    return True


async def below(tx: Tx, group_id: int) -> list[int]:
    """The ids of a deleted group and of those below it, the lowest first.

    They are read from `parent_id`: `group_tree` no longer has them.
    """
    return await tx.values(
        """
        WITH RECURSIVE gone(id, depth) AS (
            SELECT n.id, 0 FROM namespaces n WHERE n.id = :id AND n.deleted_at IS NOT NULL
            UNION ALL
            SELECT n.id, gone.depth + 1 FROM gone JOIN namespaces n ON n.parent_id = gone.id)
        SELECT id FROM gone ORDER BY depth DESC, id
        """,
        id=group_id,
    )


async def announce(tx: Tx, ids: list[int]) -> bool:
    """Record the removal of one more batch of groups that went with one above them; False if none is left."""
    groups = await tx.rows(
        tuple[int, str],
        """
        SELECT n.id, n.name FROM namespaces n WHERE n.id IN :ids AND NOT EXISTS (
            SELECT 1 FROM events event
            WHERE event.subject_kind = 'group' AND event.subject_id = n.id AND event.kind = 'group.deleted')
        ORDER BY n.id LIMIT :batch
        """,
        ids=ids,
        batch=projects.BATCH,
    )
    full_paths = await projects.paths_of(tx, {id_ for id_, _ in groups})
    for id_, name in groups:
        changes = {"name": (name, None), "full_path": (full_paths[id_], None)}
        await record(tx, "group.deleted", SYSTEM, subject_id=id_, group_id=id_, changes=changes)
    return bool(groups)


async def find_parent(tx: Tx, actor: Actor, parent_id: int | None, *, lock: bool) -> GroupRow | None:
    """The group to create in, its tree locked on demand; None for the top level, which needs the right to create groups."""
    if parent_id is None:
        if not (actor.can_create_group or actor.admin):
            raise errors.forbidden()
        return None
    return await find_group(tx, actor, Ref.of(parent_id), to=ADMIN_GROUP, lock=lock)


@contextmanager
def conflicts_as_taken() -> Generator[None]:
    """If two requests claim one name or path at once, the later one fails with "has already been taken"."""
    try:
        yield
    except UniqueViolation as conflict:
        raise errors.taken("name" if "name" in conflict.columns else "path") from None


async def insert_into_tree(tx: Tx, group_id: int, parent_id: int | None) -> None:
    """Add the group to the closure, below its parent and all ancestors of the parent."""
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


_SETTINGS = frozenset(GroupSettings.__struct_fields__).difference(STORED)


def _columns(change: GroupSettings) -> dict[str, Any]:
    """The settings that the request contains, as they are stored."""
    columns = {name: value for name, value in change.sent_fields().items() if name in _SETTINGS}
    if "description" in columns:
        columns["description"] = columns["description"] or ""
    return columns


async def _stored_settings(tx: Tx, group_id: int, change: GroupSettings) -> dict[str, Any]:
    """The column of the settings that have no meaning here, if the request contains some; the tree is locked."""
    if not is_given(change, STORED):
        return {}
    stored = await tx.value("SELECT g.stored_settings FROM groups g WHERE g.id = :id", id=group_id)
    return {"stored_settings": merged(stored, change, STORED)}


async def store(tx: Tx, group_id: int, columns: dict[str, Any]) -> None:
    """Write these settings of the group."""
    await update(tx, "groups", columns, id=group_id)
    if columns.get("share_with_group_lock"):
        # Every subgroup gets the lock too, so that access need only read the group directly above a project.
        await tx.run(
            """UPDATE groups SET share_with_group_lock = TRUE
               WHERE id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)""",
            id=group_id,
        )


async def store_runners_token(tx: Tx, group_id: int, encrypted: str, digest: str) -> None:
    """The group's token for registering runners, encrypted, and its digest."""
    await update(tx, "groups", {"runners_token": encrypted, "runners_token_digest": digest}, id=group_id)
