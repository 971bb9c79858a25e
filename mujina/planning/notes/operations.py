"""Creating, editing and deleting notes. Counts, mentions and todos follow from the recorded events."""

from collections.abc import Awaitable, Callable, Sequence
from secrets import token_hex
from typing import LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import insert, insert_each, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import Event, record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes.rows import WRITTEN, NoteView
from mujina.planning.notes.rules import NoteRow

MAX_BODY_LENGTH = 1_000_000


async def create(
    tx: Tx, actor: Actor, noteable: Noteable, body: str, *, created_at: str | None,
    discussion_id: str | None, individual: bool, follow: Callable[[], Awaitable[None]] | None = None,
) -> NoteView:  # fmt: skip
    """A comment; it starts a discussion unless it joins one. Only owners set its date. `follow` carries out its commands."""
    check_body(body)
    created_at = created_at if created_at and noteable.dated else clock.now()
    [note] = await tx.rows(
        NoteView,
        f"""
        INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, discussion_id,
            individual, created_at, updated_at)
        VALUES (:noteable_kind, :noteable_id, :project_id, :author_id, :body, :body_folded, :discussion_id,
            :individual, :created_at, :created_at)
        RETURNING {WRITTEN}
        """,
        project_id=noteable.project_id, author_id=actor.id, body=body, body_folded=fold(body),
        discussion_id=discussion_id or token_hex(20), individual=individual, created_at=created_at, **noteable.bound,
    )  # fmt: skip
    await _record(tx, "note.created", actor, noteable, note.id, None, body, follow)
    return note


async def edit(tx: Tx, actor: Actor, noteable: Noteable, note: NoteRow, body: str) -> None:
    check_body(body)
    await update(tx, "notes", {"body": body, "body_folded": fold(body), "updated_at": clock.now()}, id=note.id)
    await _record(tx, "note.updated", actor, noteable, note.id, note.body, body)


async def remove(tx: Tx, actor: Actor, noteable: Noteable, note: NoteRow) -> None:
    """Delete the note; concurrent requests record the deletion once."""
    if await tx.run("DELETE FROM notes WHERE id = :id", id=note.id):
        await _record(tx, "note.deleted", actor, noteable, note.id, note.body, None)


async def set_resolved(tx: Tx, actor_id: int | None, note_ids: list[int], *, resolved: bool) -> bool:
    """Resolve these notes, or take it back; False if nothing changes."""
    changed = await tx.run(
        """UPDATE notes SET resolved_at = :at, resolved_by_id = :by WHERE id IN :ids AND NOT system AND NOT individual
           AND (resolved_at IS NULL) = :resolved""",
        ids=note_ids, at=clock.now() if resolved else None, by=actor_id if resolved else None, resolved=resolved,
    )  # fmt: skip
    return changed > 0


async def open_discussion(tx: Tx, noteable: Noteable, discussion_id: str) -> None:
    """Turn a plain comment into a thread; the copy of a moved issue has threads of its own."""
    await tx.run(
        """UPDATE notes SET individual = FALSE WHERE discussion_id = :discussion_id AND individual
           AND noteable_kind = :noteable_kind AND noteable_id = :noteable_id""",
        discussion_id=discussion_id,
        **noteable.bound,
    )


async def delete_snippet_notes(tx: Tx, event: Event) -> None:
    """Delete the notes on a deleted snippet."""
    await tx.run("DELETE FROM notes WHERE noteable_kind = 'snippet' AND noteable_id = :id", id=event.subject_id)


async def delete_all(tx: Tx, kind: str, ids: list[int]) -> None:
    """Delete the notes on these."""
    await tx.run("DELETE FROM notes WHERE noteable_kind = :kind AND noteable_id IN :ids", kind=kind, ids=ids)


class NoteTarget(msgspec.Struct, frozen=True):
    """The noteable of a system note, or the thing that it refers to."""

    kind: str
    id: int
    project_id: int | None


async def add_system(
    tx: Tx, event: Event, target: NoteTarget, bodies: Sequence[str], *, source: NoteTarget | None = None
) -> None:
    """System notes about the event, with its actor as their author.

    Only users who may also read `source` see a note that refers to it.
    """
    if bodies and event.actor_id is not None:
        notes = [_system_note(event.actor_id, event.created_at, target, body, source) for body in bodies]
        await insert_each(tx, "notes", notes)


async def add_system_by(
    tx: Tx,
    author_id: int,
    at: str,
    target: NoteTarget,
    body: str,
    *,
    discussion_id: str | None = None,
    source: NoteTarget | None = None,
) -> None:
    """A system note by this user at this time, in a discussion if one is given; it may refer to a `source`."""
    note = _system_note(author_id, at, target, body, source)
    if discussion_id is not None:
        note |= {"discussion_id": discussion_id, "individual": False}
    await insert(tx, "notes", **note)


async def add_cross_reference(tx: Tx, event: Event, target: NoteTarget, source: NoteTarget, body: str) -> None:
    """A system note that the source mentions the target, once for each source."""
    if event.actor_id is not None:
        note = _system_note(event.actor_id, event.created_at, target, body, source)
        await insert(tx, "notes", _ONCE, **note | {"action": "mentioned"})


async def add_commit_reference(tx: Tx, author_id: int, target: NoteTarget, project_id: int, body: str) -> None:
    """A system note that a commit of this project mentions the target, once; readers of the code see it."""
    await tx.run(
        """
        INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, system,
            source_kind, source_id, discussion_id, created_at, updated_at)
        SELECT :kind, CAST(:id AS bigint), CAST(:project_id AS bigint), CAST(:author_id AS bigint), :body, :folded, TRUE,
            'commit', CAST(:source_id AS bigint), :discussion_id, :now, :now
        WHERE NOT EXISTS (SELECT 1 FROM notes note WHERE note.noteable_kind = :kind AND note.noteable_id = :id
                          AND note.source_kind = 'commit' AND note.source_id = :source_id AND note.body = :body)
        """,
        kind=target.kind, id=target.id, project_id=target.project_id, author_id=author_id, body=body, folded=fold(body),
        source_id=project_id, discussion_id=token_hex(20), now=clock.now(),
    )  # fmt: skip


_ONCE: LiteralString = (
    "ON CONFLICT (noteable_kind, noteable_id, source_kind, source_id) WHERE action = 'mentioned' DO NOTHING"
)


def _system_note(
    author_id: int, at: str, target: NoteTarget, body: str, source: NoteTarget | None
) -> dict[str, str | int | None]:
    return {
        "noteable_kind": target.kind, "noteable_id": target.id, "project_id": target.project_id, "author_id": author_id,
        "body": body, "body_folded": fold(body), "system": True, "action": None, "source_kind": source and source.kind,
        "source_id": source and source.id, "discussion_id": token_hex(20), "individual": True, "created_at": at,
        "updated_at": at,
    }  # fmt: skip


async def copy(tx: Tx, kind: str, from_id: int, to_id: int, project_id: int) -> dict[int, int]:
    """Copy every note of a noteable to another, with authors and dates. Old id → new id."""
    ids: list[int] = await tx.values(
        "SELECT note.id FROM notes note WHERE note.noteable_kind = :kind AND note.noteable_id = :id ORDER BY note.id",
        kind=kind,
        id=from_id,
    )
    copies: list[int] = await tx.values(
        """
        INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, system, action,
            source_kind, source_id, discussion_id, individual, created_at, updated_at)
        SELECT note.noteable_kind, :to_id, :project_id, note.author_id, note.body, note.body_folded, note.system,
            note.action, note.source_kind, note.source_id, note.discussion_id, note.individual, note.created_at, note.updated_at
        FROM notes note WHERE note.id IN :ids ORDER BY note.id
        RETURNING id
        """,
        ids=ids,
        to_id=to_id,
        project_id=project_id,
    )
    return dict(zip(ids, sorted(copies), strict=True))


async def bodies(tx: Tx, kind: str, noteable_id: int) -> list[str]:
    """The bodies of every note of a noteable."""
    return await tx.values(
        "SELECT note.body FROM notes note WHERE note.noteable_kind = :kind AND note.noteable_id = :id",
        kind=kind,
        id=noteable_id,
    )


async def rewrite(tx: Tx, ids: list[int], rewritten: Callable[[str], str]) -> list[str]:
    """Apply a function to the bodies of these notes without recording events; the bodies as they were."""
    bodies = await tx.rows(tuple[int, str], "SELECT note.id, note.body FROM notes note WHERE note.id IN :ids", ids=ids)
    changed = [(id_, new) for id_, body in bodies if (new := rewritten(body)) != body]
    if changed:
        await tx.run_each(
            "UPDATE notes SET body = :body, body_folded = :folded WHERE id = :id",
            [{"id": id_, "body": body, "folded": fold(body)} for id_, body in changed],
        )
    return [body for _, body in bodies]


def check_body(body: str) -> None:
    """400 for a note without a word, or for one that is too long."""
    problems = Problems()
    problems.require("note", body, MAX_BODY_LENGTH)
    problems.refuse()


async def _record(
    tx: Tx, kind: str, actor: Actor, noteable: Noteable, note_id: int, before: str | None, after: str | None,
    follow: Callable[[], Awaitable[None]] | None = None,
) -> None:  # fmt: skip
    await record(
        tx, kind, actor, subject_id=note_id, project_id=noteable.project_id, group_id=noteable.group_id,
        confidential=noteable.confidential, changes={"body": (before, after), **noteable.bound},
        project_active_at=noteable.project_active_at, context=noteable, follow=follow,
    )  # fmt: skip
