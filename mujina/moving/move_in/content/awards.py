"""Reactions."""

from collections.abc import Iterable

from mujina.kernel import clock
from mujina.kernel.db.rows import insert
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
        user_id, at = await run.people.id_of(tx, award.user), clock.iso(award.created_at)
        run.report.created["reactions"] += await insert(
            tx, "awards", "ON CONFLICT DO NOTHING", subject_kind=subject[0], subject_id=subject[1], name=name,
            user_id=user_id, created_at=at, updated_at=at,
        )  # fmt: skip
