"""Comments and threads on issues and merge requests."""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha1
from typing import Any, Final

from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in.content import awards
from mujina.moving.move_in.content.awards import NOUNS
from mujina.moving.move_in.content.uploads import bring_files
from mujina.moving.move_in.runs import ProjectRun, collect
from mujina.moving.sources.records import SourceDiscussion, SourceNote
from mujina.planning.noteables.kinds import noteable_kind
from mujina.planning.notes.counts import recount
from mujina.planning.notes.operations import MAX_BODY_LENGTH

Place = Callable[[Tx, int, str, SourceDiscussion], Awaitable[None]]
"""Stores the line that a discussion on a merge request is about."""
BATCH_SIZE: Final = 200


async def move_notes(target: ProjectRun, kind: str, iid: int, noteable_id: int, place: Place | None = None) -> None:
    """All comments, threads and system notes of one noteable that changed since the last run, and the reactions to them."""
    run = target.run
    discussions = await collect(run.source.discussions(target.project.id, NOUNS[kind], iid))
    await bring_files(target, [note.body for each in discussions for note in each.notes])
    here = dict[int, int]()
    for start in range(0, len(discussions), BATCH_SIZE):
        batch = discussions[start : start + BATCH_SIZE]
        async with run.services.database.transaction() as tx:
            await run.people.prepare(tx, [person for each in batch for note in each.notes for person in _people(note)])
            for discussion in batch:
                here |= await _write(tx, target, kind, iid, noteable_id, discussion, place)
            counted = noteable_kind(tx.product, kind)
            if counted is not None:
                await recount(tx, counted, [noteable_id])
    for note_id, stored_id in here.items():
        await awards.move_awards(target, kind, iid, stored_id, note_id)


def _people(note: SourceNote) -> Sequence[Any]:
    return (note.author, note.resolved_by)


async def _write(
    tx: Tx, target: ProjectRun, kind: str, iid: int, noteable_id: int, discussion: SourceDiscussion, place: Place | None
) -> dict[int, int]:
    """Those notes of the discussion to which people may react: id at the source → id here."""
    # Ids of the source are not taken over: one that another discussion here has would join the two.
    discussion_id = sha1(f"{target.run.source.address} {discussion.id}".encode(), usedforsecurity=False).hexdigest()
    written = dict[int, int]()
    for note in discussion.notes:
        columns = await _columns(tx, target, f"/-/{NOUNS[kind]}/{iid}#note_{note.id}", note)
        known = await target.find(tx, "note", note.id)
        if known is None:
            note_id: int = await insert_id(
                tx, "notes", noteable_kind=kind, noteable_id=noteable_id, project_id=target.id, system=note.system,
                discussion_id=discussion_id, individual=discussion.individual_note, **columns,
            )  # fmt: skip
            target.run.report.created["notes"] += 1
        else:
            note_id = known.id
            if known.fingerprint != note.fingerprint:
                await update(tx, "notes", columns, id=note_id)
                target.run.report.updated["notes"] += 1
        await target.remember(tx, "note", note.id, note_id, fingerprint=note.fingerprint)
        if not note.system:
            written[note.id] = note_id
    if place is not None and not discussion.individual_note:
        await place(tx, noteable_id, discussion_id, discussion)
    return written


async def _columns(tx: Tx, target: ProjectRun, rest: str, note: SourceNote) -> dict[str, Any]:
    body = target.text(note.body, MAX_BODY_LENGTH, rest)
    resolver = await target.run.people.id_of(tx, note.resolved_by) if note.resolved and note.resolved_by else None
    return {
        "body": body, "body_folded": fold(body), "author_id": await target.run.people.id_of(tx, note.author),
        "resolved_at": clock.iso(note.resolved_at or note.updated_at) if note.resolved else None,
        "resolved_by_id": resolver, "created_at": clock.iso(note.created_at), "updated_at": clock.iso(note.updated_at),
    }  # fmt: skip
