"""Which commit wrote each line of a file."""

import msgspec

from mujina.code.blame import operations
from mujina.code.blame.params import BlameFile
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo
from mujina.kernel.db.entities import to_entity
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get
from mujina.kernel.permissions.scopes import FETCH


class BlamedCommit(msgspec.Struct):
    id: str
    parent_ids: list[str]
    message: str
    authored_date: str
    author_name: str
    author_email: str
    committed_date: str
    committer_name: str
    committer_email: str

    @classmethod
    def of(cls, commit: CommitInfo) -> "BlamedCommit":
        dates = {"authored_date": commit.authored_at, "committed_date": commit.committed_at}
        return to_entity(cls, commit, parent_ids=commit.parents, **dates)


class BlamedPassage(msgspec.Struct):
    """Lines that follow one another and come from one commit."""

    commit: BlamedCommit
    lines: list[str]


@get("/projects/:id/repository/files/:file_path/blame", anonymous=True, scopes=FETCH)
async def show_file_blame(call: Call, id: Ref, file_path: Segment, query: BlameFile) -> list[BlamedPassage]:
    """Show which commit wrote each line of a file."""
    first, last = query.lines
    _, code = await commits.find_code(call.services, call.actor, id)
    found = commits.find(code, query.ref or None)
    passages = await operations.passages(found, file_path, first, last)
    return [BlamedPassage(BlamedCommit.of(commit), lines) for commit, lines in passages]
