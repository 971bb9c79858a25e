"""Explicit subscriptions."""

from mujina.kernel import errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import delete_in_project, noteable_kind


async def subscribe(tx: Tx, actor: Actor, name: str, id: int, *, subscribed: bool) -> None:
    """Subscribe the actor to the row of this kind, or unsubscribe them; 304 if nothing changes."""
    kind = noteable_kind(tx.product, name)
    assert kind is not None
    current = await tx.value(f"SELECT {kind.subscribed} FROM {kind.rows} WHERE {kind.key} = :id", id=id, **actor.bound)
    if bool(current) == subscribed or not await put(tx, actor, name, id, subscribed=subscribed):
        raise errors.not_modified()


async def put(tx: Tx, actor: Actor, kind: str, id: int, *, subscribed: bool) -> bool:
    """Store the choice of the actor, which overrides participation; False if it was stored before."""
    changed = await insert(
        tx, "subscriptions",
        """ON CONFLICT (subject_kind, subject_id, user_id) DO UPDATE SET subscribed = excluded.subscribed
            WHERE subscriptions.subscribed <> excluded.subscribed""", subject_kind=kind, subject_id=id,
        user_id=actor.id, subscribed=subscribed,
    )  # fmt: skip
    return changed > 0


async def delete_project_subscriptions(tx: Tx, project_id: int) -> None:
    """Delete the subscriptions to everything in a removed project."""
    await delete_in_project(tx, "subscriptions", project_id)


async def delete_all(tx: Tx, kind: str, ids: list[int]) -> None:
    """Delete the subscriptions to these."""
    await tx.run("DELETE FROM subscriptions WHERE subject_kind = :kind AND subject_id IN :ids", kind=kind, ids=ids)


async def delete_of_users(
    tx: Tx, user_ids: list[int], *, project_id: int | None = None, group_id: int | None = None
) -> None:
    """Delete what these users chose for everything in the project, or for the epics of the group."""
    await tx.run(
        """
        DELETE FROM subscriptions WHERE user_id IN :user_ids AND (
            (subject_kind = 'issue' AND subject_id IN (
                SELECT i.id FROM issues i WHERE i.project_id = CAST(:project_id AS bigint)))
            OR (subject_kind = 'merge_request' AND subject_id IN (
                SELECT mr.id FROM merge_requests mr WHERE mr.project_id = CAST(:project_id AS bigint)))
            OR (subject_kind = 'epic' AND subject_id IN (
                SELECT e.id FROM epics e WHERE e.group_id = CAST(:group_id AS bigint))))
        """,
        user_ids=user_ids,
        project_id=project_id,
        group_id=group_id,
    )
