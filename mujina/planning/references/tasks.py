"""Background jobs for references."""

import asyncio

from mujina.adapters.git.reading import diffs, history
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.kernel.jobs.tasks import Run, task
from mujina.planning.references import pushes
from mujina.planning.references.pushes import NamedMergeRequest

MAX_COMMITS = 100
"""Only the newest commits of a pushed branch are read."""


@task("references.read_push")
async def read_push(run: Run, key: str) -> None:
    """Apply closing keywords and references of the pushed commits; running it again changes nothing."""
    async with run.database.reading() as tx:
        pushed = await pushes.find_branches(tx, int(key))
    for branch in pushed:
        repository = await repo_path_to_read(run.services, branch.storage, branch.project_id)
        messages = await history.messages(repository, branch.since, branch.new, MAX_COMMITS)
        base_url = run.services.settings.url
        async with run.database.reading() as tx:
            named = await pushes.find_named_requests(tx, branch, [message for _, message in messages], base_url)
        commits = {request.id: await _commits_of(run, request) for request in named}
        async with run.database.transaction() as tx:
            for commit_id, message in reversed(messages):
                own = [id_ for id_, ids in commits.items() if commit_id in ids]
                await pushes.apply_message(tx, branch, commit_id, message, base_url, own)


async def _commits_of(run: Run, request: NamedMergeRequest) -> frozenset[str]:
    """The commits of a merge request, and those that merged it."""
    repo_path = await repo_path_to_read(run.services, request.storage, request.project_id)
    ids = await asyncio.to_thread(diffs.commits_between, repo_path, request.start_sha, request.head_sha)
    return frozenset([*ids, request.merge_commit_sha or "", request.squash_commit_sha or ""])
