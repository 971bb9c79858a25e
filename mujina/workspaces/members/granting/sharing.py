"""Sharing a project with a group: the members of the group have access, up to a cap."""

from mujina.kernel import clock, errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SYSTEM, Actor


async def share(
    tx: Tx, actor: Actor, project_id: int, namespace_id: int, group_id: int, cap: int, expires_on: str | None
) -> int:
    """Give the members of the group access to the project; the id of the share."""
    await _check(tx, namespace_id, group_id)
    share_id: int | None = await tx.value(
        """
        INSERT INTO project_shares (project_id, group_id, cap, expires_on, created_at)
        VALUES (:project_id, :group_id, :cap, :expires_on, :now)
        ON CONFLICT (project_id, group_id) DO UPDATE
        SET cap = excluded.cap, expires_on = excluded.expires_on, created_at = excluded.created_at
        WHERE project_shares.expires_on <= :today
        RETURNING id
        """,
        project_id=project_id, group_id=group_id, cap=cap, expires_on=expires_on or NEVER,
        now=clock.now(), today=clock.today(),
    )  # fmt: skip
    if share_id is None:
        raise errors.conflict("Group already shared with this group")
    await record(
        tx, "project.shared", actor, subject_id=project_id, project_id=project_id, group_id=group_id,
        changes={"group_access": (None, cap)},
    )  # fmt: skip
    return share_id


async def _check(tx: Tx, namespace_id: int, group_id: int) -> None:
    found = await tx.row(
        tuple[bool, bool],
        """
        SELECT EXISTS (SELECT 1 FROM groups g WHERE g.id = :namespace_id AND g.share_with_group_lock),
               EXISTS (SELECT 1 FROM group_tree t WHERE t.group_id = :namespace_id AND t.ancestor_id = :group_id)
        """,
        namespace_id=namespace_id,
        group_id=group_id,
    )
    locked, above = found or (False, False)
    if locked:
        raise errors.bad_request("The project sharing with group is disabled")
    if above:
        raise errors.conflict("Project cannot be shared with the group it is in or one of its ancestors.")


async def unshare(tx: Tx, actor: Actor, project_id: int, group_id: int) -> None:
    """End the share: the access it gave ends with the next statement."""
    removed = await tx.run(
        "DELETE FROM project_shares WHERE project_id = :project_id AND group_id = :group_id",
        project_id=project_id,
        group_id=group_id,
    )
    if not removed:
        raise errors.not_found("Group Link")
    await _record_end(tx, actor, project_id, group_id)


async def unshare_below(tx: Tx, actor: Actor, group_id: int) -> None:
    """End all shares with the group and with the groups below it."""
    ended = await tx.rows(
        tuple[int, int],
        """DELETE FROM project_shares
           WHERE group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)
           RETURNING project_id, group_id""",
        id=group_id,
    )
    for project_id, below_id in sorted(ended):
        await _record_end(tx, actor, project_id, below_id)


async def delete_expired(tx: Tx, batch: int) -> int:
    """Delete so many expired shares at the most; how many there were."""
    expired = await tx.rows(
        tuple[int, int, int],
        """SELECT s.id, s.project_id, s.group_id FROM project_shares s WHERE s.expires_on <= :today
           ORDER BY s.id LIMIT :batch FOR UPDATE""",
        today=clock.today(),
        batch=batch,
    )
    await tx.run("DELETE FROM project_shares WHERE id IN :ids", ids=[id_ for id_, _, _ in expired])
    for _, project_id, group_id in expired:
        await _record_end(tx, SYSTEM, project_id, group_id)
    return len(expired)


async def _record_end(tx: Tx, actor: Actor, project_id: int, group_id: int) -> None:
    await record(tx, "project.unshared", actor, subject_id=project_id, project_id=project_id, group_id=group_id)


async def unshare_above(tx: Tx, project_id: int, namespace_id: int) -> None:
    """End shares of the project with the groups above it: membership there gives access anyway."""
    await tx.run(
        """DELETE FROM project_shares WHERE project_id = :project_id
           AND group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)""",
        project_id=project_id,
        namespace_id=namespace_id,
    )


async def unshare_all_above(tx: Tx, group_id: int) -> None:
    """Removes the shares of every project below the group with the groups above it."""
    await tx.run(
        """DELETE FROM project_shares
           WHERE group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :group_id)
           AND project_id IN (SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
                              WHERE t.ancestor_id = :group_id)""",
        group_id=group_id,
    )
