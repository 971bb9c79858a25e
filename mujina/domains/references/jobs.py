"""Background work on what texts refer to."""

from mujina.adapters import git_history
from mujina.adapters.git_storage import Storage
from mujina.domains.references import pushes
from mujina.domains.repositories.changes import ZERO
from mujina.kernel.jobs.tasks import Run, task

MOST_COMMITS = 100
"""Of a push so many commits are read, the newest."""


@task("references.read_push")
async def read_push(run: Run, key: str) -> None:
    """What the commits of this push say is done: read again after a crash, they change nothing more."""
    async with run.database.reading() as tx:
        push = await pushes.find(tx, int(key))
    if push is None:
        return
    place = await Storage.of(run.house.settings.data, push.storage).repository(push.project_id)
    since = None if push.old == ZERO else push.old
    messages = await git_history.messages(place, since, push.new, MOST_COMMITS)
    async with run.database.transaction() as tx:
        for commit_id, message in reversed(messages):
            await pushes.close(tx, push, commit_id, message, run.house.settings.external_url or "")
