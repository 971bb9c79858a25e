"""What happens to notes. Counts, mentions and todos follow from the record of each."""

from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import Event, record
from mujina.kernel.text import fold
from mujina.planning.notes.rules import Noteable, NoteRow

LONGEST_BODY = 1_000_000


async def create(
    tx: Tx, actor: Actor, noteable: Noteable, body: str, *, created_at: str | None = None,
    discussion_id: str | None = None, individual: bool = True,
) -> int:  # fmt: skip
    """A comment; it begins a discussion of its own unless it joins one. Dates are for owners, others' are now."""
    _check(body)
    dated = created_at if created_at and noteable.owner(actor) else clock.now()
    note_id: int = await tx.value(
        """
        INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, discussion_id,
            individual, created_at, updated_at)
        VALUES (:noteable_kind, :noteable_id, :project_id, :author_id, :body, :body_folded, :discussion_id,
            :individual, :dated, :dated)
        RETURNING id
        """,
        project_id=noteable.project_id, author_id=actor.id, body=body, body_folded=fold(body),
        discussion_id=discussion_id or token_hex(20), individual=individual, dated=dated, **noteable.bound,
    )  # fmt: skip
    await _record(tx, "note.created", actor, noteable, note_id, None, body)
    return note_id


async def edit(tx: Tx, actor: Actor, noteable: Noteable, note: NoteRow, body: str) -> None:
    """The note says this from now on."""
    _check(body)
    await tx.run(
        "UPDATE notes SET body = :body, body_folded = :folded, updated_at = :now WHERE id = :id",
        body=body, folded=fold(body), now=clock.now(), id=note.id,
    )  # fmt: skip
    await _record(tx, "note.updated", actor, noteable, note.id, note.body, body)


async def remove(tx: Tx, actor: Actor, noteable: Noteable, note: NoteRow) -> None:
    """Gone; two who delete it at once delete it once."""
    if await tx.run("DELETE FROM notes WHERE id = :id", id=note.id):
        await _record(tx, "note.deleted", actor, noteable, note.id, note.body, None)


async def open_discussion(tx: Tx, noteable: Noteable, discussion_id: str) -> None:
    """A note that was replied to is no longer individual; what was moved elsewhere goes on for itself there."""
    await tx.run(
        """UPDATE notes SET individual = FALSE WHERE discussion_id = :discussion_id AND individual
           AND noteable_kind = :noteable_kind AND noteable_id = :noteable_id""",
        discussion_id=discussion_id,
        **noteable.bound,
    )


async def delete_snippet_notes(tx: Tx, event: Event) -> None:
    """What was said about a deleted snippet goes with it."""
    await tx.run("DELETE FROM notes WHERE noteable_kind = 'snippet' AND noteable_id = :id", id=event.subject_id)


class Place(msgspec.Struct, frozen=True):
    """Where the instance says something, or what it speaks of."""

    kind: str
    id: int
    project_id: int | None


async def add_system(tx: Tx, event: Event, at: Place, bodies: Sequence[str], *, of: Place | None = None) -> None:
    """What the instance says there about the event, in the name of who caused it.

    What it says `of` something else is heard only by those who may read that, too.
    """
    if bodies and event.actor_id is not None:
        await tx.run_each(_SAY, [_said(event, at, body, of) | {"action": None} for body in bodies])


async def add_cross_reference(tx: Tx, event: Event, at: Place, source: Place, body: str) -> None:
    """It is said once there that the source mentions it."""
    if event.actor_id is not None:
        await tx.run(f"{_SAY} {_ONCE}", **_said(event, at, body, source), action="mentioned")


async def add_commit_reference(tx: Tx, author_id: int, at: Place, home_id: int, body: str) -> None:
    """It is said once there that a commit of the project `home_id` mentions it, to those who read that project's code."""
    await tx.run(
        """
        INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, system,
            source_kind, source_id, discussion_id, created_at, updated_at)
        SELECT :kind, CAST(:id AS bigint), CAST(:project_id AS bigint), CAST(:author_id AS bigint), :body, :folded, TRUE,
            'commit', CAST(:home_id AS bigint), :discussion_id, :now, :now
        WHERE NOT EXISTS (SELECT 1 FROM notes note WHERE note.noteable_kind = :kind AND note.noteable_id = :id
                          AND note.source_kind = 'commit' AND note.source_id = :home_id AND note.body = :body)
        """,
        kind=at.kind, id=at.id, project_id=at.project_id, author_id=author_id, body=body, folded=fold(body),
        home_id=home_id, discussion_id=token_hex(20), now=clock.now(),
    )  # fmt: skip


_SAY: LiteralString = """
    INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, system, action,
        source_kind, source_id, discussion_id, created_at, updated_at)
    VALUES (:kind, :id, :project_id, :author_id, :body, :folded, TRUE, :action, :source_kind, :source_id,
        :discussion_id, :at, :at)"""
_ONCE: LiteralString = """
    ON CONFLICT (noteable_kind, noteable_id, source_kind, source_id) WHERE action = 'mentioned' DO NOTHING"""


def _said(event: Event, at: Place, body: str, of: Place | None) -> dict[str, str | int | None]:
    return {
        "kind": at.kind, "id": at.id, "project_id": at.project_id, "author_id": event.actor_id, "body": body,
        "folded": fold(body), "source_kind": of and of.kind, "source_id": of and of.id,
        "discussion_id": token_hex(20), "at": event.created_at,
    }  # fmt: skip


async def copy(tx: Tx, kind: str, from_id: int, to_id: int, project_id: int) -> dict[int, int]:
    """Every note of one thing stands on another as well, with its author and dates. Old id → new id."""
    ids: list[int] = await tx.values(
        "SELECT note.id FROM notes note WHERE note.noteable_kind = :kind AND note.noteable_id = :id ORDER BY note.id",
        kind=kind, id=from_id,
    )  # fmt: skip
    copies: list[int] = await tx.values(
        """
        INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, system, action,
            source_kind, source_id, discussion_id, individual, created_at, updated_at)
        SELECT note.noteable_kind, :to_id, :project_id, note.author_id, note.body, note.body_folded, note.system,
            note.action, note.source_kind, note.source_id, note.discussion_id, note.individual, note.created_at, note.updated_at
        FROM notes note WHERE note.id IN :ids ORDER BY note.id
        RETURNING id
        """,
        ids=ids, to_id=to_id, project_id=project_id,
    )  # fmt: skip
    return dict(zip(ids, sorted(copies), strict=True))


async def reword(tx: Tx, ids: list[int], reworded: Callable[[str], str]) -> list[str]:
    """Each of these notes as `reworded` says it, and what they said; nobody is told, for nobody said anything new."""
    bodies = await tx.rows(tuple[int, str], "SELECT note.id, note.body FROM notes note WHERE note.id IN :ids", ids=ids)
    changed = [(id_, new) for id_, body in bodies if (new := reworded(body)) != body]
    if changed:
        await tx.run_each(
            "UPDATE notes SET body = :body, body_folded = :folded WHERE id = :id",
            [{"id": id_, "body": body, "folded": fold(body)} for id_, body in changed],
        )
    return [body for _, body in bodies]


def _check(body: str) -> None:
    problems = Problems()
    problems.require("note", body)
    problems.limit("note", body, LONGEST_BODY)
    problems.refuse()


async def _record(
    tx: Tx, kind: str, actor: Actor, noteable: Noteable, note_id: int, before: str | None, after: str | None
) -> None:
    await record(
        tx, kind, actor, subject_id=note_id, project_id=noteable.project_id, confidential=noteable.confidential,
        changes={"body": (before, after), **noteable.bound},
    )  # fmt: skip
