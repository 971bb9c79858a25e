"""Starting the pipelines of schedules."""

from mujina.ci.pipelines.operations import NewPipeline, PipelineVariable, create_pipeline
from mujina.ci.schedules.operations import VALUE
from mujina.ci.schedules.rules import ScheduleRow, variables_of
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services


async def start_pipeline(
    services: Services, actor: Actor, schedule: ScheduleRow, *, scheduled_for: str | None = None
) -> int:
    """Make a pipeline of the schedule as the actor, with its variables: the id. `Invalid` if there is none to make.

    There is at most one for each time of the clock, `scheduled_for`.
    """
    async with services.database.reading() as tx:
        rows = await variables_of(tx, schedule.id)
    variables = [PipelineVariable(row.key, services.vault.decrypt(row.value, VALUE), row.variable_type) for row in rows]
    new = NewPipeline(
        source="schedule",
        ref=schedule.ref,
        variables=variables,
        columns={"schedule_id": schedule.id, "scheduled_for": scheduled_for},
    )
    return await create_pipeline(services, actor, schedule.project_id, new)
