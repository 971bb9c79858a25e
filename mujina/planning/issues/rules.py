"""Who may do what with an issue, and the only way to get one."""

from functools import cache
from typing import Annotated, Any, LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor, Kind
from mujina.kernel.db.rows import AnyRow, Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.rules import Condition, Rule, admin, known_of
from mujina.workspaces.members.access import guest, reporter
from mujina.workspaces.projects.rules import OWN_PROJECT, PROJECT_AT, PROJECT_SEEN, READ_PROJECT

issues_enabled = Condition("issues_enabled", "p.issues_enabled")
confidential = Condition("confidential", "i.confidential")
locked = Condition("locked", "i.discussion_locked")
author = Condition("author", "(i.author_id = :actor)")
assignee = Condition(
    "assignee",
    "EXISTS (SELECT 1 FROM issue_assignees mine WHERE mine.issue_id = i.id AND mine.user_id = :actor)",
    many="(i.id IN (SELECT mine.issue_id FROM issue_assignees mine WHERE mine.user_id = :actor))",
)

involved = reporter | author | assignee | admin

READ_ISSUE = READ_PROJECT & issues_enabled & (~confidential | involved)
UPDATE_ISSUE = READ_ISSUE & involved
ADMIN_ISSUE = READ_ISSUE & (reporter | admin)
"""Labels, milestone, assignees, due date, weight, lock: what triage decides."""
COMMENT_ON_ISSUE = READ_ISSUE & (~locked | guest | admin)
"""Once its discussion is locked, an issue is commented on by members only."""
DELETE_ISSUE = READ_ISSUE & OWN_PROJECT


class IssueRow(Row, alias="i"):
    """What operations need to know of an issue they act on."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    confidential: bool
    author_id: int
    milestone_id: int | None
    weight: int | None
    due_on: str | None
    discussion_locked: bool
    updated_at: str
    namespace_id: Annotated[int, "p.namespace_id"]
    full_path: Annotated[str, "r.path"]
    triager: Annotated[bool, reporter | admin]
    """May decide what triage decides."""
    owner: Annotated[bool, OWN_PROJECT]
    """May set dates."""
    level: Annotated[int, "p.level"]
    """The actor's level in the project."""
    project_active_at: Annotated[str, "p.last_activity_at"]


async def find_issue(tx: Tx, actor: Actor, ref: Ref, iid: int, *, to: Rule = READ_ISSUE) -> IssueRow:
    """The issue, if the actor may do this with it. One they may not see is missing, like one that never was."""
    return await find_issue_as(IssueRow, tx, actor, ref, iid, to=to)


async def find_issue_as(
    shape: type[AnyRow],
    tx: Tx,
    actor: Actor,
    ref: Ref,
    iid: int,
    *,
    to: Rule = READ_ISSUE,
    joined: LiteralString = "",
) -> AnyRow:
    """The row of the issue (`i`, in the project `p` at the route `r`), found by the same right in one statement."""
    rows = await tx.rows(
        tuple[Any, ...], _found_to(to, shape.columns, joined, actor.kind), iid=iid, **ref.bound, **actor.bound
    )
    project_readable, readable, allowed, *found = rows[0] if rows else _NOTHING
    if not project_readable:
        raise errors.not_found("Project")
    if not readable:
        raise errors.not_found("Issue")
    if not allowed:
        raise errors.forbidden()
    return msgspec.convert(found, shape, strict=False)


_NOTHING = (False, False, False)


@cache
def _found_to(to: Rule, columns: LiteralString, joined: LiteralString, kind: Kind) -> LiteralString:
    """Each right is asked for only where the one before it holds, so it need not ask for that one again."""
    known = known_of(kind)
    entered = READ_PROJECT.given(known)
    readable, allowed = READ_ISSUE.given({READ_PROJECT: True}).given(known), to.given({READ_ISSUE: True}).given(known)
    found = PROJECT_AT if "p.level" in columns else PROJECT_SEEN
    return f"""
        WITH {found}
        SELECT {entered.one}, i.id IS NOT NULL AND {readable.one}, {allowed.one}, {columns}
        FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN issues i ON i.project_id = p.id AND i.iid = :iid AND i.deleted_at IS NULL {joined}
    """
