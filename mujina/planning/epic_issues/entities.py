"""The issues of an epic as the API shows them."""

import msgspec

from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epic_issues.rules import EpicIssueRow
from mujina.planning.epics import entities as epics
from mujina.planning.epics.entities import Epic
from mujina.planning.issues import entities as issues
from mujina.planning.issues.views.issue import Issue


class EpicIssue(Issue, kw_only=True):
    """An issue with its place in the epic."""

    epic_issue_id: int
    relative_position: int


class EpicIssueLink(msgspec.Struct):
    """What puts an issue into an epic."""

    id: int
    epic: Epic
    issue: Issue
    relative_position: int


IN_EPIC = ascending("ei.relative_position", "ei.id")
"""The order of the issues of an epic."""


class LinkView(Row, alias="ei"):
    id: int
    issue_id: int
    relative_position: int


async def load_page(tx: Tx, actor: Actor, selection: Selection, page: Page) -> Paged[EpicIssue]:
    """One page of issues, in the order of the epic."""
    links = await load_rows(tx, LinkView, selection, IN_EPIC, page)
    found = await issues.singles(tx, actor, [link.issue_id for link in links.items])
    shown = [
        EpicIssue(
            **msgspec.structs.asdict(found[link.issue_id]),
            epic_issue_id=link.id,
            relative_position=link.relative_position,
        )
        for link in links.items
        if link.issue_id in found
    ]
    return links.with_items(shown)


async def load_one(tx: Tx, link: EpicIssueRow) -> EpicIssueLink:
    """The link with its epic and its issue."""
    issue = await issues.by_id(tx, [link.issue_id])
    return EpicIssueLink(link.id, await epics.load_one(tx, link.epic_id), issue[link.issue_id], link.relative_position)
