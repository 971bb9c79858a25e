"""Sharing a group with another: the members of that one have access to everything in the first, up to a cap."""

from mujina.kernel import clock, errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.workspaces.groups.rules import GroupRow


async def share(tx: Tx, actor: Actor, shared: GroupRow, group_id: int, cap: int, expires_on: str | None) -> None:
    """Give the members of the group access to the shared one, to the groups below it and to their projects."""
    await _check(tx, shared, group_id)
    share_id: int | None = await tx.value(
        """
        INSERT INTO group_shares (shared_group_id, group_id, cap, expires_on, created_at)
        VALUES (:shared_group_id, :group_id, :cap, :expires_on, :now)
        ON CONFLICT (shared_group_id, group_id) DO UPDATE
        SET cap = excluded.cap, expires_on = excluded.expires_on, created_at = excluded.created_at
        WHERE group_shares.expires_on <= :today
        RETURNING id
        """,
        shared_group_id=shared.id, group_id=group_id, cap=cap, expires_on=expires_on or NEVER,
        now=clock.now(), today=clock.today(),
    )  # fmt: skip
    if share_id is None:
        raise errors.conflict("Group already shared with this group")
    await record(
        tx, "group.shared", actor, subject_id=shared.id, group_id=shared.id,
        changes={"with_group_id": (None, group_id), "group_access": (None, cap)},
    )  # fmt: skip


async def _check(tx: Tx, shared: GroupRow, group_id: int) -> None:
    if shared.share_with_group_lock:
        raise errors.bad_request("The group sharing with group is disabled")
    if await tx.value(
        "SELECT 1 FROM group_tree t WHERE t.group_id = :shared_group_id AND t.ancestor_id = :group_id",
        shared_group_id=shared.id,
        group_id=group_id,
    ):
        raise errors.conflict("Group cannot be shared with itself or one of its ancestors.")


async def unshare(tx: Tx, actor: Actor, shared_group_id: int, group_id: int) -> None:
    """End the share: the access it gave ends with the next statement."""
    removed = await tx.run(
        "DELETE FROM group_shares WHERE shared_group_id = :shared_group_id AND group_id = :group_id",
        shared_group_id=shared_group_id,
        group_id=group_id,
    )
    if not removed:
        raise errors.not_found("Group Link")
    await _record_end(tx, actor, shared_group_id, group_id)


async def unshare_below(tx: Tx, actor: Actor, group_id: int) -> None:
    """End all shares with the group and with the groups below it; those of these groups need no event."""
    await tx.run(
        """DELETE FROM group_shares
           WHERE shared_group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)""",
        id=group_id,
    )
    ended = await tx.rows(
        tuple[int, int],
        """DELETE FROM group_shares
           WHERE group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)
           RETURNING shared_group_id, group_id""",
        id=group_id,
    )
    for shared_group_id, below_id in sorted(ended):
        await _record_end(tx, actor, shared_group_id, below_id)


async def unshare_all_above(tx: Tx, group_id: int) -> None:
    """End the shares of the group, and of those below it, with a group above: membership there gives access anyway."""
    await tx.run(
        """DELETE FROM group_shares
           WHERE shared_group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
           AND EXISTS (SELECT 1 FROM group_tree t WHERE t.group_id = group_shares.shared_group_id
                       AND t.ancestor_id = group_shares.group_id)""",
        group_id=group_id,
    )


async def delete_expired(tx: Tx, batch: int) -> int:
    """Delete at most this many expired shares; how many there were."""
    expired = await tx.rows(
        tuple[int, int, int],
        """SELECT s.id, s.shared_group_id, s.group_id FROM group_shares s WHERE s.expires_on <= :today
           ORDER BY s.id LIMIT :batch FOR UPDATE""",
        today=clock.today(),
        batch=batch,
    )
    await tx.run("DELETE FROM group_shares WHERE id IN :ids", ids=[id_ for id_, _, _ in expired])
    for _, shared_group_id, group_id in expired:
        await _record_end(tx, SYSTEM, shared_group_id, group_id)
    return len(expired)


async def _record_end(tx: Tx, actor: Actor, shared_group_id: int, group_id: int) -> None:
    await record(
        tx, "group.unshared", actor, subject_id=shared_group_id, group_id=shared_group_id,
        changes={"with_group_id": (group_id, None)},
    )  # fmt: skip
