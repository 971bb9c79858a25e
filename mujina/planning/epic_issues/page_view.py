"""The issues of an epic as its page shows them."""

from typing import Annotated, LiteralString

import msgspec

from mujina.kernel.db.documents import decoded
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_documents_of, load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epic_issues.entities import IN_EPIC
from mujina.planning.epic_issues.filters import readable_issues
from mujina.planning.epic_issues.rules import CHOOSE_EPIC_ISSUE
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.issues.views.issue import Issue


class _ChildView(Row, alias="ei"):
    """A link to an issue (`i`) of a project (`p`)."""

    id: int
    issue_id: int
    removable: Annotated[bool, CHOOSE_EPIC_ISSUE.standalone]


class EpicChild(msgspec.Struct, frozen=True):
    link_id: int
    issue: Issue
    removable: bool
    """Whether the actor may choose the epic of the issue."""


async def read_children(tx: Tx, actor: Actor, epic_id: int, page: Page) -> Paged[EpicChild]:
    """One page of the issues that the actor may read, in the order of the epic."""
    selection = await readable_issues(tx, actor, epic_id)
    source: LiteralString = "epic_issues ei JOIN issues i ON i.id = ei.issue_id JOIN projects p ON p.id = i.project_id"
    rows = await load_joined(tx, _ChildView, source, "ei.id", selection, IN_EPIC, page)
    found = decoded(
        await load_documents_of(DOCUMENTS, tx, [row.issue_id for row in rows.items], ascending("i.id")), Issue
    )
    issues = {issue.id: issue for issue in found}
    return rows.with_items(
        [EpicChild(row.id, issues[row.issue_id], row.removable) for row in rows.items if row.issue_id in issues]
    )
