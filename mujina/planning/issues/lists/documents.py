"""Lists of issues and single issues, read as stored documents with one statement.

Issues without a valid document are computed, with two statements however many they are.
"""

from typing import Annotated

from mujina.instance.editions.rules import current_edition
from mujina.kernel import errors
from mujina.kernel.db.documents import DETAIL_ONLY_SLOT, PATH_SLOT, Documents, DocumentSource
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.declarations.work_item import SUBSCRIBED
from mujina.planning.issues.entities import issues_url, links_of, with_labels_and_assignees
from mujina.planning.issues.rules import find_issue_as
from mujina.planning.issues.views.entity import JOINED, Issue, IssueView
from mujina.planning.milestones.entities import milestone_url


class _SourceAndView(Row):
    source: DocumentSource
    view: IssueView


async def _for_documents(tx: Tx, ids: list[int]) -> list[tuple[DocumentSource, Issue]]:
    rows = await tx.rows(
        _SourceAndView,
        f"SELECT {DOCUMENTS.source_columns}, {IssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids",
        ids=ids,
    )
    issues = await with_labels_and_assignees(tx, [row.view for row in rows])
    for issue in issues:
        issue.web_url = f"{issues_url(PATH_SLOT)}{issue.iid}"
        if issue.milestone is not None:
            issue.milestone.closed_at = DETAIL_ONLY_SLOT  # only a single issue has it
            if issue.milestone.project_id is not UNSET:
                issue.milestone.web_url = milestone_url(PATH_SLOT, issue.milestone.iid, of_group=False)
    return list(zip([row.source for row in rows], issues, strict=True))


DOCUMENTS = Documents("issue_documents", Issue, _for_documents, of="issues", alias="i", variant=current_edition)


class _DocumentView(Row, alias="i"):
    """The document of a single issue, and what it leaves open."""

    id: int
    iid: int
    project_id: int
    full_path: Annotated[str, "r.path"]
    subscribed: Annotated[bool, SUBSCRIBED]
    milestone_closed_at: Annotated[str | None, "ms.closed_at"]
    body: Annotated[str | None, "d.body"]


async def visible(tx: Tx, actor: Actor, ref: Ref, iid: int) -> Issue:
    """The issue, if the actor may read it: found and read by one statement."""
    row = await find_issue_as(
        _DocumentView, tx, actor, ref, iid,
        joined=f"LEFT JOIN milestones ms ON ms.id = i.milestone_id {DOCUMENTS.joined}", bound=DOCUMENTS.bound(tx),
    )  # fmt: skip
    issue = await DOCUMENTS.load_one(
        tx,
        (row.id, row.body, row.full_path),
        detail_only={"closed_at": row.milestone_closed_at},
        members={"subscribed": row.subscribed, "_links": links_of(row.project_id, row.iid)},
    )
    return errors.or_not_found(issue, "Issue")
