"""Sharing a project, or a group with everything in it, with a group: the members of that one have access, up to a cap."""

from typing import Final, LiteralString

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes, record
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.workspaces.owners.rules import Owner


class _Shares(msgspec.Struct, frozen=True):
    """Where the shares of projects, or of groups, are stored."""

    table: LiteralString
    key: LiteralString
    """The column of what is shared."""
    above: str
    """Why it cannot be shared with a group above it."""


_SHARES: Final[dict[OwnerKind, _Shares]] = {
    "project": _Shares(
        "project_shares",
        "project_id",
        "Project cannot be shared with the group it is in or one of its ancestors.",
    ),
    "group": _Shares(
        "group_shares",
        "shared_group_id",
        "Group cannot be shared with itself or one of its ancestors.",
    ),
}


async def share(tx: Tx, actor: Actor, shared: Owner, group_id: int, cap: int, expires_on: str | None) -> int:
    """Give the members of the group access to what is shared; the id of the share."""
    shares = _SHARES[shared.kind]
    await _check(tx, shared, group_id)
    share_id: int | None = await tx.value(
        f"""
        INSERT INTO {shares.table} ({shares.key}, group_id, cap, expires_on, created_at)
        VALUES (:shared_id, :group_id, :cap, :expires_on, :now)
        ON CONFLICT ({shares.key}, group_id) DO UPDATE
        SET cap = excluded.cap, expires_on = excluded.expires_on, created_at = excluded.created_at
        WHERE {shares.table}.expires_on <= :today
        RETURNING id
        """,
        shared_id=shared.id, group_id=group_id, cap=cap, expires_on=expires_on or NEVER,
        now=clock.now(), today=clock.today(),
    )  # fmt: skip
    if share_id is None:
        raise errors.conflict("Group already shared with this group")
    await _record(tx, "shared", actor, shared.kind, shared.id, group_id, {"group_access": (None, cap)})
    return share_id


async def _check(tx: Tx, shared: Owner, group_id: int) -> None:
    found = await tx.row(
        tuple[bool, bool],
        """
        SELECT EXISTS (SELECT 1 FROM groups g WHERE g.id = :namespace_id AND g.share_with_group_lock),
               EXISTS (SELECT 1 FROM group_tree t WHERE t.group_id = :namespace_id AND t.ancestor_id = :group_id)
        """,
        namespace_id=shared.namespace_id,
        group_id=group_id,
    )
    locked, above = found or (False, False)
    if locked:
        raise errors.bad_request(f"The {shared.kind} sharing with group is disabled")
    if above:
        raise errors.conflict(_SHARES[shared.kind].above)


async def shared_at(tx: Tx, shared: Owner, group_id: int) -> str:
    """When it was shared with the group; 404 if it is not."""
    shares = _SHARES[shared.kind]
    created_at: str | None = await tx.value(
        f"SELECT s.created_at FROM {shares.table} s WHERE s.{shares.key} = :shared_id AND s.group_id = :group_id",
        shared_id=shared.id,
        group_id=group_id,
    )
    return errors.or_not_found(created_at, "Group Link")


async def unshare(tx: Tx, actor: Actor, shared: Owner, group_id: int) -> None:
    """End the share: the access it gave ends with the next statement."""
    shares = _SHARES[shared.kind]
    removed = await tx.run(
        f"DELETE FROM {shares.table} WHERE {shares.key} = :shared_id AND group_id = :group_id",
        shared_id=shared.id,
        group_id=group_id,
    )
    if not removed:
        raise errors.not_found("Group Link")
    await _record(tx, "unshared", actor, shared.kind, shared.id, group_id)


async def unshare_below(tx: Tx, actor: Actor, group_id: int) -> None:
    """End all shares with the group and with the groups below it, and those of these groups, which need no event."""
    await _unshare_with(tx, actor, "project", group_id)
    await tx.run(
        """DELETE FROM group_shares
           WHERE shared_group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)""",
        id=group_id,
    )
    await _unshare_with(tx, actor, "group", group_id)


async def _unshare_with(tx: Tx, actor: Actor, kind: OwnerKind, group_id: int) -> None:
    shares = _SHARES[kind]
    ended = await tx.rows(
        tuple[int, int],
        f"""DELETE FROM {shares.table}
            WHERE group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)
            RETURNING {shares.key}, group_id""",
        id=group_id,
    )
    for shared_id, below_id in sorted(ended):
        await _record(tx, "unshared", actor, kind, shared_id, below_id)


async def unshare_above(tx: Tx, project_id: int, namespace_id: int) -> None:
    """End shares of the project with the groups above it: membership there gives access anyway."""
    await tx.run(
        """DELETE FROM project_shares WHERE project_id = :project_id
           AND group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)""",
        project_id=project_id,
        namespace_id=namespace_id,
    )


async def unshare_all_above(tx: Tx, group_id: int) -> None:
    """End shares of the group, of those below it and of their projects with groups above: membership there gives access anyway."""
    await tx.run(
        """DELETE FROM project_shares
           WHERE group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :group_id)
           AND project_id IN (SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
                              WHERE t.ancestor_id = :group_id)""",
        group_id=group_id,
    )
    await tx.run(
        """DELETE FROM group_shares
           WHERE shared_group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
           AND EXISTS (SELECT 1 FROM group_tree t WHERE t.group_id = group_shares.shared_group_id
                       AND t.ancestor_id = group_shares.group_id)""",
        group_id=group_id,
    )


async def delete_expired(tx: Tx, kind: OwnerKind, batch: int) -> int:
    """Delete at most this many expired shares of projects, or of groups; how many there were."""
    shares = _SHARES[kind]
    expired = await tx.rows(
        tuple[int, int, int],
        f"""SELECT s.id, s.{shares.key}, s.group_id FROM {shares.table} s WHERE s.expires_on <= :today
            ORDER BY s.id LIMIT :batch FOR UPDATE""",
        today=clock.today(),
        batch=batch,
    )
    await tx.run(f"DELETE FROM {shares.table} WHERE id IN :ids", ids=[id_ for id_, _, _ in expired])
    for _, shared_id, group_id in expired:
        await _record(tx, "unshared", SYSTEM, kind, shared_id, group_id)
    return len(expired)


async def _record(
    tx: Tx, verb: str, actor: Actor, kind: OwnerKind, shared_id: int, group_id: int, changes: Changes | None = None
) -> None:
    project_id: int | None = shared_id
    if kind == "group":
        pair = (None, group_id) if verb == "shared" else (group_id, None)
        changes = {"with_group_id": pair, **(changes or {})}
        project_id, group_id = None, shared_id
    await record(
        tx, f"{kind}.{verb}", actor, subject_id=shared_id, project_id=project_id, group_id=group_id, changes=changes
    )
