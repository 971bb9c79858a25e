"""Which issues can be in an epic, who may choose them, and the only way to find a link."""

from typing import Annotated, LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule, admin
from mujina.planning.epics.rules import EpicRow
from mujina.planning.issues.rules import ADMIN_ISSUE, READ_ISSUE

CHOOSE_EPIC_ISSUE = ADMIN_ISSUE
"""Put the issue into an epic or take it out, besides the right to edit the epic."""


class EpicIssueRow(Row, alias="ei"):
    """The link of an issue to its epic."""

    id: int
    epic_id: int
    issue_id: int
    relative_position: int
    confidential: Annotated[bool, "i.confidential"]

    @property
    def position_key(self) -> tuple[int, int]:
        """Sorts the links of an epic."""
        return self.relative_position, self.id


class ChosenIssue(Row, alias="i"):
    """An issue that can be put into an epic."""

    id: int
    project_id: int
    confidential: bool


_LINKED: LiteralString = "epic_issues ei JOIN issues i ON i.id = ei.issue_id JOIN projects p ON p.id = i.project_id"


async def find_issue_for(tx: Tx, actor: Actor, epic: EpicRow, issue_id: int) -> ChosenIssue:
    """The issue, locked, if it is in a project of the epic's group or below, and the actor may choose its epic."""
    issue = await tx.row(
        ChosenIssue,
        f"""
        SELECT {ChosenIssue.columns} FROM issues i JOIN projects p ON p.id = i.project_id
        JOIN group_tree t ON t.group_id = p.namespace_id AND t.ancestor_id = :group_id
        WHERE i.id = :issue_id AND i.deleted_at IS NULL AND p.deleted_at IS NULL
        AND {CHOOSE_EPIC_ISSUE.assuming({admin: actor.admin}).standalone}
        FOR UPDATE OF i
        """,
        issue_id=issue_id,
        group_id=epic.group_id,
        **actor.bound,
    )
    if issue is None:
        raise errors.not_found_with("No Issue found for given params")
    return issue


async def find_epic_issue(
    tx: Tx, actor: Actor, epic: EpicRow, link_id: int, *, to: Rule = READ_ISSUE, missing: str
) -> EpicIssueRow:
    """The link, if it belongs to the epic and the actor may do this with its issue; 404 `missing` otherwise."""
    link = await tx.row(
        EpicIssueRow,
        f"""
        SELECT {EpicIssueRow.columns} FROM {_LINKED}
        WHERE ei.id = :link_id AND ei.epic_id = :epic_id AND i.deleted_at IS NULL AND p.deleted_at IS NULL
        AND {to.assuming({admin: actor.admin}).standalone}
        """,
        link_id=link_id,
        epic_id=epic.id,
        **actor.bound,
    )
    if link is None:
        raise errors.not_found_with(missing)
    return link
