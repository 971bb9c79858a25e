"""The notes of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.planning.issues import note_counts


async def give(tx: Tx, user_id: int, ghost_id: int) -> None:
    """The ghost becomes the author of their notes; notes on their snippets are deleted."""
    await _delete_snippet_notes(tx, user_id)
    await tx.run(
        "UPDATE notes SET author_id = :ghost_id WHERE author_id = :user_id", user_id=user_id, ghost_id=ghost_id
    )


async def erase(tx: Tx, user_id: int) -> None:
    """Delete their notes, and all notes on their issues and snippets."""
    await _delete_snippet_notes(tx, user_id)
    issue_ids = await tx.values(
        """SELECT DISTINCT note.noteable_id FROM notes note
           WHERE note.author_id = :user_id AND note.noteable_kind = 'issue' AND NOT note.system""",
        user_id=user_id,
    )
    await tx.run(
        """DELETE FROM notes WHERE author_id = :user_id OR (noteable_kind = 'issue'
           AND noteable_id IN (SELECT i.id FROM issues i WHERE i.author_id = :user_id))""",
        user_id=user_id,
    )
    await note_counts.recount(tx, issue_ids)


async def _delete_snippet_notes(tx: Tx, user_id: int) -> None:
    await tx.run(
        """DELETE FROM notes WHERE noteable_kind = 'snippet'
           AND noteable_id IN (SELECT s.id FROM snippets s WHERE s.author_id = :user_id)""",
        user_id=user_id,
    )
