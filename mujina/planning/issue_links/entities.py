"""Linked issues as the API shows them."""

import msgspec

from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.planning.issues import entities as issues
from mujina.planning.issues.views.issue import Issue


class IssueLink(msgspec.Struct):
    source_issue: Issue
    target_issue: Issue
    # Compat: `link_type`, here and in lists, is younger than the specification; today's clients require it.
    link_type: str = "relates_to"


class RelatedIssue(Issue, kw_only=True):
    """An issue with the link that leads to it."""

    issue_link_id: int
    link_type: str = "relates_to"
    link_created_at: str
    link_updated_at: str


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[RelatedIssue]:
    """One page of related issues, in the order of the links."""
    order, columns = ascending("link.id"), "link.id, i.id, link.created_at"
    rows = await load_rows(tx, tuple[int, int, str], selection, order, page, columns=columns)
    found = await issues.by_id(tx, [issue_id for _, issue_id, _ in rows.items])
    return rows.with_items(
        [
            RelatedIssue(
                **msgspec.structs.asdict(found[issue_id]), issue_link_id=link_id, link_created_at=at, link_updated_at=at
            )
            for link_id, issue_id, at in rows.items
            if issue_id in found
        ]
    )


async def load_one(tx: Tx, source_id: int, target_id: int) -> IssueLink:
    found = await issues.by_id(tx, [source_id, target_id])
    return IssueLink(found[source_id], found[target_id])
