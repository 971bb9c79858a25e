"""Linked issues as the API shows them."""

from typing import LiteralString

import msgspec

from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.planning.issue_links.rules import IssueLinkRow
from mujina.planning.issues import entities as issues
from mujina.planning.issues.views.issue import Issue


class IssueLink(msgspec.Struct):
    source_issue: Issue
    target_issue: Issue
    # Compat: `link_type`, here and in lists, is younger than the specification; today's clients require it.
    link_type: str


class RelatedIssue(Issue, kw_only=True):
    """An issue with the link that leads to it."""

    issue_link_id: int
    link_type: str
    """How the issue whose links are listed relates to this one: `relates_to`, `blocks` or `is_blocked_by`."""
    link_created_at: str
    link_updated_at: str


_RELATED: LiteralString = """link.id, i.id, link.created_at,
    CASE WHEN link.link_type = 'blocks' AND link.target_id = :issue_id THEN 'is_blocked_by' ELSE link.link_type END"""


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[RelatedIssue]:
    """One page of related issues, in the order of the links."""
    order = ascending("link.id")
    rows = await load_rows(tx, tuple[int, int, str, str], selection, order, page, columns=_RELATED)
    found = await issues.by_id(tx, [issue_id for _, issue_id, _, _ in rows.items])
    return rows.with_items(
        [
            RelatedIssue(
                **msgspec.structs.asdict(found[issue_id]),
                issue_link_id=link_id,
                link_type=link_type,
                link_created_at=at,
                link_updated_at=at,
            )
            for link_id, issue_id, at, link_type in rows.items
            if issue_id in found
        ]
    )


async def load_one(tx: Tx, link: IssueLinkRow) -> IssueLink:
    found = await issues.by_id(tx, [link.source_id, link.target_id])
    return IssueLink(found[link.source_id], found[link.target_id], link.link_type)
