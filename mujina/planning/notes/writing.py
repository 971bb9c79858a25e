"""Creating a note whose text may contain quick actions."""

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import Noteable
from mujina.planning.notes import operations
from mujina.planning.notes.params import CreateNote
from mujina.planning.quick_actions.operations import CommandOutcome, carry_out, read_note


async def write(
    tx: Tx, actor: Actor, noteable: Noteable, change: CreateNote, *, discussion_id: str | None = None,
    individual: bool = True,
) -> int | CommandOutcome:  # fmt: skip
    """The id of the note; or, if the text has only commands, what they did."""
    text, plan = await read_note(tx, actor, noteable, change.body)
    note_id = None
    if plan is None or text:
        note_id = await operations.create(
            tx, actor, noteable, text, created_at=change.created_at or None, discussion_id=discussion_id,
            individual=individual,
        )  # fmt: skip
    if plan is None or plan.issue is None:
        assert note_id is not None
        return note_id
    outcome = await carry_out(plan, plan.issue)
    return outcome if note_id is None else note_id
