"""Creating and removing awards."""

from mujina.kernel import errors
from mujina.kernel.db.rows import insert_id, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import NOT_LISTED, TAKEN
from mujina.kernel.events import Event, record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import Awardable, AwardRow, may_give
from mujina.planning.noteables.kinds import delete_in_project


async def create(tx: Tx, actor: Actor, awardable: Awardable, name: str) -> int:
    """An award of this name; a user gives each emoji once."""
    emoji = canonical(name)
    if emoji is None:
        raise _rejected(NOT_LISTED)
    if not may_give(actor, awardable, emoji):
        raise errors.not_found("Award Emoji")
    award_id: int | None = await insert_id(
        tx, "awards", "ON CONFLICT (subject_kind, subject_id, name, user_id) DO NOTHING", name=emoji, user_id=actor.id,
        **timestamps(), **awardable.bound,
    )  # fmt: skip
    if award_id is None:
        raise _rejected(TAKEN)
    await _record(tx, "award.given", actor, awardable, award_id, emoji)
    return award_id


async def toggle(tx: Tx, actor: Actor, awardable: Awardable, name: str) -> None:
    """Create the award of the actor, or remove it if it exists."""
    award = await tx.row(
        AwardRow,
        f"""SELECT {AwardRow.columns} FROM awards award WHERE award.user_id = :actor
           AND award.subject_kind = :subject_kind AND award.subject_id = :subject_id AND award.name = :name""",
        actor=actor.id,
        name=canonical(name),
        **awardable.bound,
    )
    if award is None:
        await create(tx, actor, awardable, name)
    else:
        await remove(tx, actor, awardable, award)


async def remove(tx: Tx, actor: Actor, awardable: Awardable, award: AwardRow) -> None:
    if await tx.run("DELETE FROM awards WHERE id = :id", id=award.id):
        await _record(tx, "award.taken_back", actor, awardable, award.id, award.name)


async def copy(tx: Tx, kind: str, to: dict[int, int]) -> None:
    """Copy the awards of each of these (old id → new id)."""
    await tx.run_each(
        """
        INSERT INTO awards (subject_kind, subject_id, name, user_id, created_at, updated_at)
        SELECT award.subject_kind, :new, award.name, award.user_id, award.created_at, award.updated_at FROM awards award
        WHERE award.subject_kind = :kind AND award.subject_id = :old
        """,
        [{"kind": kind, "old": old, "new": new} for old, new in to.items()],
    )


async def delete_note_awards(tx: Tx, event: Event) -> None:
    await tx.run("DELETE FROM awards WHERE subject_kind = 'note' AND subject_id = :id", id=event.subject_id)


async def delete_snippet_awards(tx: Tx, event: Event) -> None:
    """Delete the awards of a deleted snippet and of its notes."""
    await tx.run(
        """
        DELETE FROM awards WHERE (subject_kind = 'snippet' AND subject_id = :id) OR (subject_kind = 'note'
        AND subject_id IN (SELECT note.id FROM notes note WHERE note.noteable_kind = 'snippet' AND note.noteable_id = :id))
        """,
        id=event.subject_id,
    )


async def delete_project_awards(tx: Tx, project_id: int) -> None:
    """Delete the awards on everything in a removed project, and on its notes."""
    await delete_in_project(tx, "awards", project_id)
    await tx.run(
        """DELETE FROM awards WHERE subject_kind = 'note'
           AND subject_id IN (SELECT note.id FROM notes note WHERE note.project_id = :id)""",
        id=project_id,
    )


async def delete_all(tx: Tx, kind: str, ids: list[int]) -> None:
    """Delete the awards on these and on their notes."""
    await tx.run(
        """
        DELETE FROM awards WHERE (subject_kind = :kind AND subject_id IN :ids) OR (subject_kind = 'note'
        AND subject_id IN (SELECT note.id FROM notes note WHERE note.noteable_kind = :kind AND note.noteable_id IN :ids))
        """,
        kind=kind,
        ids=ids,
    )


def _rejected(message: str) -> errors.ApiError:
    # Compat: an invalid award is answered with 404, and the message is formatted like this.
    return errors.not_found(f'Award Emoji {{:name=>["{message}"]}}')


async def _record(tx: Tx, kind: str, actor: Actor, awardable: Awardable, award_id: int, name: str) -> None:
    await record(
        tx, kind, actor, subject_id=award_id, project_id=awardable.project_id, group_id=awardable.group_id,
        confidential=awardable.confidential,
        changes={"name": name, "about_kind": awardable.noteable[0], "about_id": awardable.noteable[1], **awardable.bound},
    )  # fmt: skip
