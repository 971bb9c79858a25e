"""Which commit wrote each line of a file."""

from datetime import datetime

import msgspec

from mujina.adapters.git.reading import blame as git_blame
from mujina.adapters.git.reading.log import History
from mujina.adapters.git.reading.trees import tree_path
from mujina.code.commits.operations import CommitInfo, ResolvedCommit, show
from mujina.code.files import operations as files
from mujina.kernel import errors
from mujina.kernel.text.encodings import decode_text

MAX_LINES = 5_000


class BlamedLines(msgspec.Struct, frozen=True):
    """Lines that follow one another and come from one commit."""

    commit: CommitInfo
    first: int
    count: int
    recency: int
    """The age from 1 for the oldest quarter of the time in which the file was written to 4 for the newest."""


async def blame(found: ResolvedCommit, path: str, first: int, last: int) -> list[BlamedLines]:
    """The lines of a file of the commit from the first to the last, in groups."""
    blamed = await git_blame.blame(History(found.code.repo_path, found.id, tree_path(path)))
    groups = [part for group in blamed if (part := group.within(first, last)).count > 0]
    commits = {id_: show(ResolvedCommit(found.code, id_, id_)) for id_ in {group.commit_id for group in groups}}
    moments = {id_: datetime.fromisoformat(commit.authored_at).timestamp() for id_, commit in commits.items()}
    start, span = min(moments.values(), default=0), max(moments.values(), default=0) - min(moments.values(), default=0)
    recency = {id_: 1 + int(3.99 * (moment - start) / span) if span else 4 for id_, moment in moments.items()}
    return [
        BlamedLines(commits[group.commit_id], group.first, group.count, recency[group.commit_id]) for group in groups
    ]


async def passages(found: ResolvedCommit, path: str, first: int, last: int) -> list[tuple[CommitInfo, list[str]]]:
    """The lines of a file from the first to the last, with the commit of those that follow one another; 404 without a file."""
    blob = files.blob(found, path)
    if blob.data is None:
        raise errors.too_large_to_show()
    text = decode_text(blob.data).split("\n")
    groups = await blame(found, path, first, last)
    return [(group.commit, text[group.first - 1 : group.first - 1 + group.count]) for group in groups]
