"""Reactions."""

from collections.abc import Iterable

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.moving.move_in.runs import OwnerRun
from mujina.moving.sources.records import SourceAward
from mujina.planning.awards.emoji import canonical


async def write_awards(
    tx: Tx, target: OwnerRun, rest: str, subject: tuple[str, int], given: Iterable[SourceAward]
) -> None:
    """The reactions to something here, as `("note", id)`, by prepared people; `rest`: where it is in the project or group there."""
    run = target.run
    for award in given:
        name = canonical(award.name)
        if name is None or award.user is None:
            target.problem(rest, f"The reaction {award.name!r} is not known here.")
            continue
        run.report.created["reactions"] += await tx.run(
            """INSERT INTO awards (subject_kind, subject_id, name, user_id, created_at, updated_at)
               VALUES (:kind, :id, :name, :user_id, :at, :at) ON CONFLICT DO NOTHING""",
            kind=subject[0], id=subject[1], name=name, user_id=await run.people.id_of(tx, award.user),
            at=clock.iso(award.created_at),
        )  # fmt: skip
