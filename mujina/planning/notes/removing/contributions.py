"""The notes of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH, delete_batch, update_batch
from mujina.planning.noteables.kinds import NOTEABLE_KINDS
from mujina.planning.notes.counts import recount


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes the author of their notes; notes on their snippets are deleted. False: call it again."""
    if not await _delete_snippet_notes(tx, user_id):
        return False
    users = {"user_id": user_id, "ghost_id": ghost_id}
    await tx.run("UPDATE notes SET resolved_by_id = :ghost_id WHERE resolved_by_id = :user_id", **users)
    written = "SELECT note.id FROM notes note WHERE note.author_id = :user_id"
    return await update_batch(tx, "notes", "author_id = :ghost_id", written, **users)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete their notes, and all notes on their issues and snippets. False: call it again for the rest."""
    if not (await _delete_snippet_notes(tx, user_id) and await _delete_notes_on_issues(tx, user_id)):
        return False
    notes = await tx.rows(
        tuple[int, str, int],
        "SELECT note.id, note.noteable_kind, note.noteable_id FROM notes note WHERE note.author_id = :user_id LIMIT :batch",
        user_id=user_id,
        batch=BATCH,
    )
    await tx.run("DELETE FROM notes WHERE id IN :ids", ids=[note_id for note_id, _, _ in notes])
    for kind in tx.product.all(NOTEABLE_KINDS):
        ids = sorted({noteable_id for _, name, noteable_id in notes if name == kind.name})
        await recount(tx, kind, ids)
    return len(notes) < BATCH


async def delete_hidden(tx: Tx, user_id: int) -> None:
    """Delete the notes on their deleted issues, which go with the row of the user."""
    await tx.run(
        """DELETE FROM notes WHERE noteable_kind = 'issue'
           AND noteable_id IN (SELECT i.id FROM issues i WHERE i.author_id = :user_id)""",
        user_id=user_id,
    )


async def _delete_snippet_notes(tx: Tx, user_id: int) -> bool:
    on_snippets = """
        SELECT note.id FROM snippets s JOIN notes note ON note.noteable_kind = 'snippet' AND note.noteable_id = s.id
        WHERE s.author_id = :user_id"""
    return await delete_batch(tx, "notes", on_snippets, user_id=user_id)


async def _delete_notes_on_issues(tx: Tx, user_id: int) -> bool:
    on_issues = """
        SELECT note.id FROM issues i JOIN notes note ON note.noteable_kind = 'issue' AND note.noteable_id = i.id
        WHERE i.author_id = :user_id AND i.deleted_at IS NULL"""
    return await delete_batch(tx, "notes", on_issues, user_id=user_id)
