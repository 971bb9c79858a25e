"""Commits by more than one name: ranges and histories, merge bases, and commits of other projects of the fork network."""

from mujina.adapters.git import refs
from mujina.adapters.git.objects import joined
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import log
from mujina.adapters.git.reading.log import History
from mujina.adapters.git.transport import copying
from mujina.code.commits.operations import CommitRange, Committer, Repository, ResolvedCommit, compare, find, find_code
from mujina.code.pushes.changes import BRANCHES, KEPT
from mujina.kernel import errors
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.origins.networks import related
from mujina.workspaces.projects.rules import ProjectRow

MIN_REFS, MAX_REFS = 2, 100
"""Commits that one request for a merge base names."""
NO_START = "Cannot find {} to start from"


def find_range(code: Repository, name: str | None) -> ResolvedCommit:
    """Like `find`; of `a..b`, the commits that `b` has and `a` lacks."""
    before, dots, after = (name or "").partition(log.RANGE)  # no ref's name contains two dots
    if not dots:
        return find(code, name)
    return ResolvedCommit(code, name or "", f"{find(code, before).id}{log.RANGE}{find(code, after).id}")


def all_refs(code: Repository) -> ResolvedCommit:
    """Every branch and tag, in the place of a commit whose history is listed."""
    return ResolvedCommit(code, "", log.ALL_REFS)


async def count(found: ResolvedCommit, *, first_parent: bool) -> int:
    """The number of commits in the history of a commit, with itself."""
    return await log.count(History(found.code.repo_path, found.id, first_parent=first_parent))


async def merge_base(code: Repository, names: list[str]) -> ResolvedCommit:
    """The best common ancestor of these commits, of all but the first taken together; 404 if there is none."""
    if len(names) < MIN_REFS or len(names) > MAX_REFS:
        wanted = f"at least {MIN_REFS}" if len(names) < MIN_REFS else f"at most {MAX_REFS}"
        raise errors.bad_request(f"Provide {wanted} refs")
    commits = {name: commit for name in names if (commit := reading.find_commit(code.repository, name)) is not None}
    if unknown := [name for name in dict.fromkeys(names) if name not in commits]:
        raise errors.bad_request(f"Could not find ref{'s' if len(unknown) > 1 else ''}: {', '.join(unknown)}")
    found = await refs.merge_base(code.repo_path, *(str(commits[name].id) for name in names))
    base = errors.or_not_found(found, "Merge Base")
    return ResolvedCommit(code, base, base)


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
