"""Background work on new projects."""

from msgspec.structs import replace

from mujina.accounts.users.rules import actor_of, find_user
from mujina.code.new_projects import operations
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import ALL_SCOPES
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project


@task("projects.initialize")
@of_project
async def initialize_project(run: Run, project_id: int) -> None:
    """Write the first file of a project, unless its request did: the creator's, with their rights of this moment."""
    async with run.database.reading() as tx:
        creator = await find_user(tx, run.owner_id)
    if creator.state == "active":
        # No credential limits the job.
        actor = replace(actor_of(creator), scopes=ALL_SCOPES)
        await operations.initialize(run.services, actor, project_id)
