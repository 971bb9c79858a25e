"""The clock of schedules: tasks that start what is due."""

from datetime import timedelta
from typing import Final, LiteralString

from mujina.accounts.users.rules import find_active_actor
from mujina.ci.schedules.operations import deactivate, following
from mujina.ci.schedules.rules import ScheduleRow
from mujina.ci.schedules.running import start_pipeline
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task

BATCH: Final = 100
_DUE: LiteralString = "FROM pipeline_schedules sc WHERE sc.active AND sc.next_run_at <= :now"
_PROJECT_EXISTS: LiteralString = "EXISTS (SELECT 1 FROM projects p WHERE p.id = sc.project_id AND p.deleted_at IS NULL)"
_STARTED: LiteralString = """EXISTS (
    SELECT 1 FROM pipelines pl WHERE pl.schedule_id = sc.id AND pl.scheduled_for = sc.due_at)"""


@task("schedules.start_due", every=timedelta(seconds=30))
async def start_due_schedules(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled task has no key
    """Enqueue every schedule that is due, once however late it is, and set its next time."""
    while True:
        async with run.database.reading() as tx:
            if await tx.value(f"SELECT 1 {_DUE} LIMIT 1", now=clock.now()) is None:
                return
        async with run.database.transaction() as tx:
            if await _enqueue_due(tx) < BATCH:
                return


async def _enqueue_due(tx: Tx) -> int:
    due = await tx.rows(
        ScheduleRow,
        f"SELECT {ScheduleRow.columns} {_DUE} ORDER BY sc.next_run_at LIMIT :batch FOR UPDATE SKIP LOCKED",
        now=clock.now(),
        batch=BATCH,
    )
    for schedule in sorted(due, key=lambda each: str(each.id)):
        await enqueue(tx, "schedules.start", schedule.id, owner_id=schedule.owner_id)
    for schedule in due:
        next_run_at = following(schedule)
        if next_run_at is None:  # its zone is no longer known
            await deactivate(tx, schedule)
        else:
            await tx.run(
                "UPDATE pipeline_schedules SET next_run_at = :at, due_at = :due_at WHERE id = :id",
                at=next_run_at,
                due_at=schedule.next_run_at,
                id=schedule.id,
            )
    return len(due)


@task("schedules.start")
async def start_schedule(run: Run, key: str) -> None:
    """Start the pipeline that is due, with the rights that the owner has now. If they cannot, the schedule is switched off.

    A task that ran before, and died before it ended, has started it: nothing is left to do.
    """
    async with run.database.reading() as tx:
        schedule = await _find_unstarted(tx, int(key))
        owner = None if schedule is None else await find_active_actor(tx, schedule.owner_id or 0)
    if schedule is None:
        return
    if owner is not None:
        try:
            await start_pipeline(run.services, owner, schedule, scheduled_for=schedule.due_at)
        except (errors.Invalid, errors.Forbidden, errors.NotFound):
            pass
        else:
            return
    async with run.database.transaction() as tx:
        await deactivate(tx, schedule)


async def _find_unstarted(tx: Tx, schedule_id: int) -> ScheduleRow | None:
    return await tx.row(
        ScheduleRow,
        f"""SELECT {ScheduleRow.columns} FROM pipeline_schedules sc
            WHERE sc.id = :id AND sc.active AND {_PROJECT_EXISTS} AND NOT {_STARTED}""",
        id=schedule_id,
    )
