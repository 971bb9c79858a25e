"""The merge requests of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.planning.discussions.removal import delete_conversations
from mujina.review.merge_requests.removing.rows import remove_refs


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> None:
    """The ghost becomes the author of their requests; their assignments and reviews end."""
    await tx.run(
        "UPDATE merge_requests SET author_id = :ghost_id WHERE author_id = :user_id", user_id=user_id, ghost_id=ghost_id
    )
    await tx.run("DELETE FROM merge_request_assignees WHERE user_id = :user_id", user_id=user_id)
    await tx.run("DELETE FROM merge_request_reviewers WHERE user_id = :user_id", user_id=user_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Delete their requests with everything said about them; no iid is used again."""
    requests = await tx.rows(
        tuple[int, int, int],
        """SELECT mr.id, mr.project_id, mr.iid FROM merge_requests mr WHERE mr.author_id = :user_id
           ORDER BY mr.project_id, mr.iid""",
        user_id=user_id,
    )
    await delete_conversations(tx, "merge_request", [id_ for id_, _, _ in requests])
    for _, project_id, iid in requests:
        await remove_refs(tx, project_id, iid)
    await tx.run("DELETE FROM merge_requests WHERE author_id = :user_id", user_id=user_id)
