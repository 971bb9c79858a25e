"""Background work on new projects."""

from mujina.accounts.users.rules import find_active_actor
from mujina.code.new_projects import operations
from mujina.kernel.jobs.tasks import Run, task
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project


@task("projects.initialize")
@of_project
async def initialize_project(run: Run, project_id: int) -> None:
    """Write the first file of a project, unless its request did: the creator's, with their rights of this moment."""
    async with run.database.reading() as tx:
        creator = await find_active_actor(tx, run.owner_id)
    if creator is not None:
        await operations.initialize(run.services, creator, project_id)
