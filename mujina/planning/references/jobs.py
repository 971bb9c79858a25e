"""Background jobs for references."""

from mujina.adapters import git_history
from mujina.adapters.git_storage import RepositoryStorage
from mujina.kernel.jobs.tasks import Run, task
from mujina.planning.references import pushes

MAX_COMMITS = 100
"""Only the newest commits of a pushed branch are read."""


@task("references.read_push")
async def read_push(run: Run, key: str) -> None:
    """Apply closing keywords and references of the pushed commits; running it again changes nothing."""
    async with run.database.reading() as tx:
        pushed = await pushes.find_branches(tx, int(key))
    for branch in pushed:
        repository = await RepositoryStorage.of(run.services.settings.data, branch.storage).repository(
            branch.project_id
        )
        messages = await git_history.messages(repository, branch.since, branch.new, MAX_COMMITS)
        async with run.database.transaction() as tx:
            for commit_id, message in reversed(messages):
                await pushes.apply_message(tx, branch, commit_id, message, run.services.settings.external_url or "")
