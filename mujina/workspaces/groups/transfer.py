"""Moving a group, with everything below it, into another group or to the top level."""

from typing import Any, LiteralString

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.rules import lock_trees
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import OWNER
from mujina.workspaces.groups import operations, validation
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.granting import sharing
from mujina.workspaces.members.granting.ownership import permanent_owners
from mujina.workspaces.members.rules import Source, find_member


async def find_group_transfer(tx: Tx, actor: Actor, ref: Ref, target: Ref | None) -> tuple[GroupRow, GroupRow | None]:
    """A group and the one to move it into (None: to the top level), read while both trees are locked.

    The actor must own both; the top level needs the right to create groups.
    """
    await lock_trees(tx, ref, *([target] if target else []))
    group = await find_group(tx, actor, ref, to=ADMIN_GROUP)
    if target is None:
        return group, await operations.find_parent(tx, actor, None, lock=False)
    return group, await find_group(tx, actor, target, to=ADMIN_GROUP)


async def transfer_group(tx: Tx, actor: Actor, group: GroupRow, parent: GroupRow | None) -> None:
    """Move the group; 400 with the reason if it cannot be there. Both trees must be locked."""
    await validation.check_transfer(tx, group, parent)
    # Who counts what is in one of these groups locks its row first, and then reads which groups are above it.
    await tx.values(
        f"SELECT n.id FROM namespaces n WHERE n.id IN ({_BELOW}) ORDER BY n.id FOR NO KEY UPDATE", id=group.id
    )
    with operations.conflicts_as_taken():
        full_path = await paths.move_namespace(tx, group.id, parent.id if parent else None)
    await _move_in_tree(tx, group.id, parent.id if parent else None)
    await sharing.unshare_all_above(tx, group.id)
    changes: dict[str, Any] = {
        "parent_id": (group.parent_id, parent.id if parent else None),
        "full_path": (group.full_path, full_path),
    }
    if parent is None:
        await _keep_an_owner(tx, actor, group.id)
    elif parent.share_with_group_lock:
        await operations.store(tx, group.id, {"share_with_group_lock": True})
        changes["share_with_group_lock"] = (group.share_with_group_lock, True)
    await record(tx, "group.transferred", actor, subject_id=group.id, group_id=group.id, changes=changes)


_BELOW: LiteralString = "SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id"
"""The group and all below it."""


async def _move_in_tree(tx: Tx, group_id: int, parent_id: int | None) -> None:
    await tx.run(f"DELETE FROM group_tree WHERE group_id IN ({_BELOW}) AND ancestor_id NOT IN ({_BELOW})", id=group_id)
    await tx.run(
        """INSERT INTO group_tree (group_id, ancestor_id, depth)
           SELECT below.group_id, above.ancestor_id, below.depth + above.depth + 1
           FROM group_tree below CROSS JOIN group_tree above
           WHERE below.ancestor_id = :id AND above.group_id = :parent_id""",
        id=group_id,
        parent_id=parent_id,
    )


async def _keep_an_owner(tx: Tx, actor: Actor, group_id: int) -> None:
    """A group at the top level inherits no owner: without one of its own, the actor becomes its owner."""
    if await permanent_owners(tx, group_id, lock=True):
        return
    source = Source("group", group_id)
    try:
        member = await find_member(tx, source, actor.id)
    except errors.NotFound:
        await members.add(tx, actor, source, actor.id, OWNER, None)
    else:
        await members.edit(tx, actor, source, member, OWNER, UNSET)
