"""What a person said, when they leave the instance."""

from mujina.domains.issues import noted
from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, heir_id: int) -> None:
    """Their notes are the heir's."""
    await tx.run("UPDATE notes SET author_id = :heir_id WHERE author_id = :user_id", user_id=user_id, heir_id=heir_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Their notes are gone, and what was said about their issues."""
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
    await noted.recount(tx, issue_ids)
