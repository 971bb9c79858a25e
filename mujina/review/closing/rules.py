"""The only way to find the texts by which a merge request closes issues, and the requests that close an issue."""

from typing import Annotated

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.rules import IssueRow
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST
from mujina.review.versions.rules import NEWEST_VERSION


class ClosingTexts(Row, alias="mr"):
    """A request with its project (`p`, `r`), its newest version (`v`) and its author (`u`)."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    commits: Annotated[str, "coalesce(v.closing, '[]')"]
    """The references that the messages of its commits close, as JSON."""
    path: Annotated[str, "r.path"]
    upstream_id: Annotated[int | None, "p.forked_from_id"]
    """The project that the target was forked from."""
    effective: Annotated[bool, "coalesce(mr.target_branch = p.default_branch, FALSE)"]
    """Only requests into the default branch close issues."""
    author_id: int
    author_admin: Annotated[bool, "u.admin"]
    author_external: Annotated[bool, "u.external"]

    @property
    def author(self) -> Actor:
        return Actor(id=self.author_id, admin=self.author_admin, external=self.author_external)


async def find_closing_texts(tx: Tx, merge_request_id: int) -> ClosingTexts:
    selection = Selection(
        f"""merge_requests mr JOIN projects p ON p.id = mr.project_id
            JOIN routes r ON r.project_id = p.id JOIN users u ON u.id = mr.author_id LEFT JOIN {NEWEST_VERSION}""",
        "mr.id = :id",
        id=merge_request_id,
    )
    return await find_row(tx, ClosingTexts, selection, "Merge Request")


def closing(actor: Actor, issue: IssueRow) -> Selection:
    """The requests of the issue's own project that close it and that the actor may read."""
    return Selection(
        """merge_request_closing_issues closing JOIN merge_requests mr ON mr.id = closing.merge_request_id
            JOIN projects p ON p.id = mr.project_id""",
        f"""closing.project_id = :project_id AND closing.iid = :issue_iid AND mr.target_branch = p.default_branch
            AND {READ_MERGE_REQUEST.for_scan}""",
        issue_iid=issue.iid,
        project_id=issue.project_id,
        **actor.bound,
    )
