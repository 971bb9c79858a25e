"""Histories by name: of one commit, of a range, of every branch and tag."""

from mujina.adapters.git.reading import log
from mujina.adapters.git.reading.log import History
from mujina.code.commits.operations import Repository, ResolvedCommit, find


def find_range(code: Repository, name: str | None) -> ResolvedCommit:
    """Like `find`; of `a..b`, the commits that `b` has and `a` lacks."""
    before, dots, after = (name or "").partition(log.RANGE)  # no ref's name contains two dots
    if not dots:
        return find(code, name)
    return ResolvedCommit(code, name or "", f"{find(code, before).id}{log.RANGE}{find(code, after).id}")


def all_refs(code: Repository) -> ResolvedCommit:
    """Every branch and tag, in the place of a commit whose history is listed."""
    return ResolvedCommit(code, "", log.ALL_REFS)


async def count(found: ResolvedCommit, *, first_parent: bool = False) -> int:
    """The number of commits in the history of a commit, with itself."""
    return await log.count(History(found.code.repo_path, found.id, first_parent=first_parent))
