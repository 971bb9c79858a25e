"""What a person said, when they leave the instance."""

from mujina.kernel.db.transaction import Tx
from mujina.planning.issues import note_counts


async def give(tx: Tx, user_id: int, heir_id: int) -> None:
    """Their notes are the heir's; what was said about their snippets goes with those."""
    await _forget_snippets(tx, user_id)
    await tx.run("UPDATE notes SET author_id = :heir_id WHERE author_id = :user_id", user_id=user_id, heir_id=heir_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Their notes are gone, and what was said about their issues and snippets."""
    await _forget_snippets(tx, user_id)
    issue_ids = await tx.values(
        """SELECT DISTINCT said.noteable_id FROM notes said
           WHERE said.author_id = :user_id AND said.noteable_kind = 'issue' AND NOT said.system""",
        user_id=user_id,
    )
    await tx.run(
        """DELETE FROM notes WHERE author_id = :user_id OR (noteable_kind = 'issue'
           AND noteable_id IN (SELECT i.id FROM issues i WHERE i.author_id = :user_id))""",
        user_id=user_id,
    )
    await note_counts.recount(tx, issue_ids)


async def _forget_snippets(tx: Tx, user_id: int) -> None:
    await tx.run(
        """DELETE FROM notes WHERE noteable_kind = 'snippet'
           AND noteable_id IN (SELECT s.id FROM snippets s WHERE s.author_id = :user_id)""",
        user_id=user_id,
    )
