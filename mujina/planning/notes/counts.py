"""The number of comments on issues and merge requests."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.noteables.kinds import NoteableKind, noteable_kind

_STEPS = {"note.created": 1, "note.deleted": -1}


async def count_notes(tx: Tx, event: Event) -> None:
    """Keep `user_notes_count` exact; a new comment also updates what it is on."""
    kind = noteable_kind(tx.product, event.changes["noteable_kind"])
    if kind is not None and kind.counted:
        await tx.run_each(
            f"""UPDATE {kind.counted} SET user_notes_count = user_notes_count + :step,
                updated_at = CASE WHEN :step = 1 THEN :now ELSE updated_at END WHERE id = :id""",
            [{"id": event.changes["noteable_id"], "step": _STEPS[event.kind], "now": event.created_at}],
        )


async def recount(tx: Tx, kind: NoteableKind, ids: list[int]) -> None:
    """Count again after many notes were deleted at once."""
    if kind.counted and ids:
        await tx.run(
            f"""UPDATE {kind.counted} SET user_notes_count = (
                    SELECT count(*) FROM notes note WHERE note.noteable_kind = :kind
                    AND note.noteable_id = {kind.counted}.id AND NOT note.system)
                WHERE id IN :ids""",
            kind=kind.name,
            ids=ids,
        )
