"""Comments and threads on issues, merge requests, snippets and epics, and whom texts mention."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from hashlib import sha1
from typing import Any, Final, NamedTuple

from mujina.kernel import clock
from mujina.kernel.db.rows import insert_each, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.content.awards import write_awards
from mujina.moving.move_in.content.details import NOUNS, Conversation
from mujina.moving.move_in.content.feed import show_in_feeds
from mujina.moving.move_in.content.uploads import bring_files
from mujina.moving.move_in.runs import OwnerRun, ProjectRun
from mujina.moving.sources.records import SourceDiscussion, SourceNote
from mujina.planning.noteables.kinds import noteable_kind
from mujina.planning.notes.counts import recount
from mujina.planning.notes.operations import MAX_BODY_LENGTH
from mujina.planning.references.parsing import parse_all

Place = Callable[[Tx, int, str, SourceDiscussion], Awaitable[None]]
"""Stores the line that a discussion on a merge request is about."""
BATCH_SIZE: Final = 200


async def write_notes(
    target: OwnerRun, kind: str, iid: int, noteable_id: int, conversation: Conversation, place: Place | None = None
) -> dict[int, int]:
    """Write all comments, threads and system notes that changed since the last run: id of a note at the source → its id here."""
    run = target.run
    if isinstance(target, ProjectRun):  # groups have no files
        await bring_files(target, [note.body for each in conversation.discussions for note in each.notes])
    here = dict[int, int]()
    for start in range(0, len(conversation.discussions), BATCH_SIZE):
        batch = conversation.discussions[start : start + BATCH_SIZE]
        ids = [note.id for each in batch for note in each.notes]
        async with run.services.database.transaction() as tx:
            await run.people.prepare(tx, conversation.people)
            known = await moved.find_all(tx, run.key, "note", ids)
            for discussion in batch:
                here |= await _write(tx, target, CommentedObject(kind, noteable_id, iid), discussion, known, place)
            counted = noteable_kind(tx.product, kind)
            if counted is not None:
                await recount(tx, counted, [noteable_id])
    return here


async def write_reactions(
    tx: Tx,
    target: OwnerRun,
    kind: str,
    iid: int,
    noteable_id: int,
    conversation: Conversation,
    notes: Mapping[int, int],
) -> None:
    """The reactions to it and to its `notes`, which are here."""
    await target.run.people.prepare(tx, conversation.people)
    rest = f"/-/{NOUNS[kind]}/{iid}"
    await write_awards(tx, target, rest, (kind, noteable_id), conversation.awards)
    for note_id, given in conversation.note_awards.items():
        await write_awards(tx, target, f"{rest}#note_{note_id}", ("note", notes[note_id]), given)


async def write_mentions(
    tx: Tx,
    target: OwnerRun,
    source: tuple[str, int],
    subject: tuple[str, int],
    texts: Iterable[str | None],
    *,
    new: bool,
) -> None:
    """The texts, as they are at the source, mention those whom the map of people names; a matching name alone mentions no one.

    `source`: the row with the texts, as `("note", id)`; `subject`: what it is on, or the row itself.
    """
    names = parse_all([(text or "")[:MAX_BODY_LENGTH] for text in texts], target.run.source.origin).users
    mentioned = target.run.people.mapped_names(names)
    if not new:
        await tx.run(
            "DELETE FROM mentions WHERE source_kind = :kind AND source_id = :id AND user_id NOT IN :user_ids",
            kind=source[0],
            id=source[1],
            user_ids=mentioned,
        )
    rows = [
        {"source_kind": source[0], "source_id": source[1], "user_id": user_id, "subject_kind": subject[0], "subject_id": subject[1]}
        for user_id in mentioned
    ]  # fmt: skip
    await insert_each(tx, "mentions", rows, "ON CONFLICT DO NOTHING")


class CommentedObject(NamedTuple):
    """What notes are on: its kind, its id here, and its number."""

    kind: str
    id: int
    iid: int


async def _write(
    tx: Tx, target: OwnerRun, on: CommentedObject, discussion: SourceDiscussion, known: Mapping[str, moved.MovedObject],
    place: Place | None,
) -> dict[int, int]:  # fmt: skip
    """The notes of the discussion: id at the source → id here."""
    # Ids of the source are not taken over: one that another discussion here has would join the two.
    discussion_id = sha1(f"{target.run.key} {discussion.id}".encode(), usedforsecurity=False).hexdigest()
    written = dict[int, int]()
    for note in discussion.notes:
        here = known.get(str(note.id))
        note_id: int = here.id if here else 0
        if here is None or here.fingerprint != note.fingerprint:
            columns = await _columns(tx, target, f"/-/{NOUNS[on.kind]}/{on.iid}#note_{note.id}", note)
            if here is None:
                note_id = await insert_id(
                    tx, "notes", noteable_kind=on.kind, noteable_id=on.id, project_id=target.owner.get("project_id"),
                    system=note.system, discussion_id=discussion_id, individual=discussion.individual_note, **columns,
                )  # fmt: skip
                target.run.report.created["notes"] += 1
                if isinstance(target, ProjectRun) and not note.system:  # feeds are those of projects
                    author_id = columns["author_id"]
                    await show_in_feeds(tx, target, "note.created", note_id, author_id, note.created_at)
            else:
                await update(tx, "notes", columns, id=note_id)
                target.run.report.updated["notes"] += 1
            if not note.system:
                await write_mentions(tx, target, ("note", note_id), (on.kind, on.id), [note.body], new=here is None)
            await target.remember(tx, "note", note.id, note_id, fingerprint=note.fingerprint)
        written[note.id] = note_id
    if place is not None and not discussion.individual_note:
        await place(tx, on.id, discussion_id, discussion)
    return written


async def _columns(tx: Tx, target: OwnerRun, rest: str, note: SourceNote) -> dict[str, Any]:
    body = target.text(note.body, MAX_BODY_LENGTH, rest)
    resolver = await target.run.people.id_of(tx, note.resolved_by) if note.resolved and note.resolved_by else None
    return {
        "body": body, "body_folded": fold(body), "author_id": await target.run.people.id_of(tx, note.author),
        "resolved_at": clock.iso(note.resolved_at or note.updated_at) if note.resolved else None,
        "resolved_by_id": resolver, "created_at": clock.iso(note.created_at), "updated_at": clock.iso(note.updated_at),
    }  # fmt: skip
