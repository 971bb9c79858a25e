"""Which commit wrote each line of a file."""

import msgspec

from mujina.adapters import git_blame
from mujina.adapters.git_log import History
from mujina.adapters.git_trees import tree_path
from mujina.code.commits.operations import CommitInfo, Found, show

MAX_LINES = 5_000


class BlamedLines(msgspec.Struct, frozen=True):
    """Lines that follow one another and come from one commit."""

    commit: CommitInfo
    first: int
    count: int


async def blame(found: Found, path: str) -> list[BlamedLines]:
    """The lines of a file of the commit, in groups."""
    groups = await git_blame.blame(History(found.code.place, found.id, tree_path(path)))
    commits = {id_: show(Found(found.code, id_, id_)) for id_ in {group.commit_id for group in groups}}
    return [BlamedLines(commits[group.commit_id], group.first, group.count) for group in groups]
