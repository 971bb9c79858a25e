"""Giving emoji and taking them back."""

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import NOT_LISTED, TAKEN
from mujina.kernel.events import Event, record
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import AwardRow, Subject

VOTES = frozenset({"thumbsup", "thumbsdown"})


async def give(tx: Tx, actor: Actor, subject: Subject, name: str) -> int:
    """An award by this name, once per person; nobody votes on what they wrote themselves."""
    known = canonical(name)
    if known is None:
        raise _refused(NOT_LISTED)
    if known in VOTES and subject.author_id == actor.id:
        raise errors.not_found("Award Emoji")
    award_id: int | None = await tx.value(
        """
        INSERT INTO awards (subject_kind, subject_id, name, user_id, created_at, updated_at)
        VALUES (:subject_kind, :subject_id, :name, :user_id, :now, :now)
        ON CONFLICT (subject_kind, subject_id, name, user_id) DO NOTHING
        RETURNING id
        """,
        name=known, user_id=actor.id, now=clock.now(), **subject.bound,
    )  # fmt: skip
    if award_id is None:
        raise _refused(TAKEN)
    await _record(tx, "award.given", actor, subject, award_id, known)
    return award_id


async def toggle(tx: Tx, actor: Actor, subject: Subject, name: str) -> None:
    """Given if the actor had not given it, taken back if they had."""
    award = await tx.row(
        AwardRow,
        """SELECT award.id, award.name, award.updated_at, TRUE FROM awards award WHERE award.user_id = :actor
           AND award.subject_kind = :subject_kind AND award.subject_id = :subject_id AND award.name = :name""",
        actor=actor.id, name=canonical(name), **subject.bound,
    )  # fmt: skip
    if award is None:
        await give(tx, actor, subject, name)
    else:
        await take_back(tx, actor, subject, award)


async def take_back(tx: Tx, actor: Actor, subject: Subject, award: AwardRow) -> None:
    if await tx.run("DELETE FROM awards WHERE id = :id", id=award.id):
        await _record(tx, "award.taken_back", actor, subject, award.id, award.name)


async def copy(tx: Tx, kind: str, to: dict[int, int]) -> None:
    """What each of these (old id → new id) was given, its copy has too."""
    await tx.run_each(
        """
        INSERT INTO awards (subject_kind, subject_id, name, user_id, created_at, updated_at)
        SELECT award.subject_kind, :new, award.name, award.user_id, award.created_at, award.updated_at FROM awards award
        WHERE award.subject_kind = :kind AND award.subject_id = :old
        """,
        [{"kind": kind, "old": old, "new": new} for old, new in to.items()],
    )


async def delete_note_awards(tx: Tx, event: Event) -> None:
    """The awards of a deleted note go with it."""
    await tx.run("DELETE FROM awards WHERE subject_kind = 'note' AND subject_id = :id", id=event.subject_id)


async def delete_snippet_awards(tx: Tx, event: Event) -> None:
    """What a deleted snippet and the notes on it were given goes with it."""
    await tx.run(
        """
        DELETE FROM awards WHERE (subject_kind = 'snippet' AND subject_id = :id) OR (subject_kind = 'note'
        AND subject_id IN (SELECT note.id FROM notes note WHERE note.noteable_kind = 'snippet' AND note.noteable_id = :id))
        """,
        id=event.subject_id,
    )


async def delete_project_awards(tx: Tx, project_id: int) -> None:
    """What the issues, snippets and notes of an erased project were given goes with it."""
    await tx.run(
        """
        DELETE FROM awards
        WHERE (subject_kind = 'issue' AND subject_id IN (SELECT i.id FROM issues i WHERE i.project_id = :id))
        OR (subject_kind = 'snippet' AND subject_id IN (SELECT s.id FROM snippets s WHERE s.project_id = :id))
        OR (subject_kind = 'note' AND subject_id IN (SELECT note.id FROM notes note WHERE note.project_id = :id))
        """,
        id=project_id,
    )


def _refused(complaint: str) -> errors.ApiError:
    # Compat: an award that cannot be given is "not found", with the complaint in the words of the family.
    return errors.not_found(f'Award Emoji {{:name=>["{complaint}"]}}')


async def _record(tx: Tx, kind: str, actor: Actor, subject: Subject, award_id: int, name: str) -> None:
    await record(
        tx, kind, actor, subject_id=award_id, project_id=subject.project_id, confidential=subject.confidential,
        changes={"name": name, "about_kind": subject.about[0], "about_id": subject.about[1], **subject.bound},
    )  # fmt: skip
