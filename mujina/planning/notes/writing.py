"""Creating a note whose text may contain quick actions."""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import operations
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.rows import NoteView
from mujina.planning.quick_actions.operations import CommandOutcome, carry_out, finish, read_note
from mujina.planning.quick_actions.plan import Plan

Shown = TypeVar("Shown")


class WrittenNote(msgspec.Struct, frozen=True):
    """A note, or what its commands did; or both."""

    note: NoteView | None
    """None: the text has only commands."""
    plan: Plan | None
    outcome: CommandOutcome | None

    @property
    def note_id(self) -> int | None:
        return None if self.note is None else self.note.id


async def write(
    tx: Tx, actor: Actor, noteable: Noteable, change: CreateNote, prepared: Any = None, *,
    discussion_id: str | None = None, individual: bool = True,
) -> WrittenNote:  # fmt: skip
    """Create the note and carry out its commands. `prepared`: what `quick_actions.prepare` read before."""
    text, plan = await read_note(tx, actor, noteable, change.body, prepared)
    note = outcome = None

    async def carry_out_commands() -> None:
        nonlocal outcome
        if plan is not None:
            outcome = await carry_out(plan, plan.target)

    if plan is None or text:
        note = await operations.create(
            tx, actor, noteable, text, created_at=change.created_at or None, discussion_id=discussion_id,
            individual=individual, follow=carry_out_commands,
        )  # fmt: skip
    else:
        await carry_out_commands()
    return WrittenNote(note, plan, outcome)


async def finish_all(call: Call, notes: Iterable[WrittenNote]) -> None:
    """Do what the commands of these notes left for after the transaction."""
    for written in notes:
        if written.plan is not None and written.outcome is not None:
            await finish(call.services, written.plan, written.outcome)


async def answer(call: Call, written: WrittenNote, shown: Shown | None) -> Shown | Response:
    """Do what the commands left for after the transaction, and answer with the note, or with what the commands did."""
    await finish_all(call, [written])
    return Response(written.outcome, status=202) if shown is None else shown
