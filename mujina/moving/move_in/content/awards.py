"""Reactions."""

from mujina.kernel import clock
from mujina.moving.move_in.runs import ProjectRun, collect
from mujina.planning.awards.emoji import canonical

NOUNS = {"issue": "issues", "merge_request": "merge_requests"}


async def move_awards(target: ProjectRun, kind: str, iid: int, subject_id: int, note_id: int | None) -> None:
    """The reactions to an issue or merge request, or to the note of this id at the source; `subject_id` is that here."""
    run = target.run
    given = await collect(run.source.awards(target.project.id, NOUNS[kind], iid, note_id))
    if not given:
        return
    async with run.services.database.transaction() as tx:
        await run.people.prepare(tx, [award.user for award in given])
        for award in given:
            name = canonical(award.name)
            if name is None or award.user is None:
                target.problem(f"/-/{NOUNS[kind]}/{iid}", f"The reaction {award.name!r} is not known here.")
                continue
            run.report.created["reactions"] += await tx.run(
                """INSERT INTO awards (subject_kind, subject_id, name, user_id, created_at, updated_at)
                   VALUES (:kind, :id, :name, :user_id, :at, :at) ON CONFLICT DO NOTHING""",
                kind=kind if note_id is None else "note", id=subject_id, name=name,
                user_id=await run.people.id_of(tx, award.user), at=clock.iso(award.created_at),
            )  # fmt: skip
