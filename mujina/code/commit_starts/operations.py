"""Commits of other projects of the fork network: where a commit starts, and what it is compared with."""

from mujina.adapters.git.objects import joined
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.transport import copying
from mujina.code.commits.operations import CommitRange, Committer, Repository, ResolvedCommit, compare, find_code
from mujina.code.pushes.changes import BRANCHES, KEPT
from mujina.kernel import errors
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.origins.networks import related
from mujina.workspaces.projects.rules import ProjectRow

NO_START = "Cannot find {} to start from"


async def find_start(
    committer: Committer, branch: str, start_branch: str, start_sha: str, start_project: str
) -> ResolvedCommit | None:
    """The commit of `start_sha`, or of a branch of another project of the fork network; 400 if there is none.

    None: it starts at a branch of its own repository. What only the other project has is copied.
    """
    if not start_project:
        return _find(committer.code, start_sha) if start_sha else None
    project, code = await find_code(committer.services, committer.actor, Ref(start_project))
    async with committer.services.database.reading() as tx:
        if not await related(tx, project.id, committer.project.id):
            raise errors.forbidden("start_project is not in the fork network")
    found = _find(code, start_sha or BRANCHES + (start_branch or branch))
    if reading.find_commit_by_id(committer.code.repository, found.id) is None:
        await copying.fetch_commit(code.repo_path, committer.code.repo_path, found.id, KEPT + found.id)
    return ResolvedCommit(committer.code, found.name, found.id)


async def find_relative(services: Services, actor: Actor, project: ProjectRow, other_id: int) -> Repository | None:
    """The repository of another project of the fork network; None for the project itself, 404 for any other."""
    if other_id == project.id:
        return None
    other, code = await find_code(services, actor, Ref.of(other_id))
    async with services.database.reading() as tx:
        if not await related(tx, project.id, other.id):
            raise errors.not_found("Project")
    return code


async def compare_across(before: ResolvedCommit, after: ResolvedCommit, *, straight: bool = False) -> CommitRange:
    """`compare` for commits of two repositories, neither of which has to have the other's commits."""
    with joined(before.code.repo_path, after.code.repo_path) as repo_path:
        code = Repository(repo_path, None)
        one, other = (ResolvedCommit(code, found.name, found.id) for found in (before, after))
        return await compare(one, other, straight=straight)


def _find(code: Repository, name: str) -> ResolvedCommit:
    """The commit of this id, or of this whole name of a branch."""
    if name.startswith(BRANCHES):
        found = reading.commit_of_ref(code.repository, name)
    else:
        found = reading.find_commit_by_id(code.repository, name)
    if found is None:
        raise errors.bad_request(NO_START.format(name.removeprefix(BRANCHES)))
    return ResolvedCommit(code, name, str(found.id))
