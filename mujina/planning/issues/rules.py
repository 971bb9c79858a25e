"""The rules of issues, and the only way to find one."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, LiteralString

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel import errors
from mujina.kernel.db.rows import AnyRow, Row, read_row
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import INVALID
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import Condition, Rule, admin, known_of
from mujina.planning.noteables.kinds import note_sources
from mujina.workspaces.members.access import guest, reporter
from mujina.workspaces.projects.rules import (
    ADMIN_PROJECT,
    OWN_PROJECT,
    PROJECT_AT,
    PROJECT_SEEN,
    READ_PROJECT,
    TRIAGE_ISSUES,
)

issues_enabled = Condition("issues_enabled", "p.issues_enabled")
confidential = Condition("confidential", "i.confidential")
locked = Condition("locked", "i.discussion_locked")
author = Condition("author", lambda who: f"(i.author_id = {who.id})")


def _assigned(user: LiteralString) -> LiteralString:
    return f"""SELECT mine.issue_id FROM issue_assignees mine
        WHERE mine.user_id = {user} AND {counts_as_assignee("issue_assignees", "issue_id", "mine")}"""


assignee = Condition(
    "assignee",
    lambda who: f"EXISTS ({_assigned(who.id)} AND mine.issue_id = i.id)",
    for_scan=f"(i.id IN ({_assigned(':actor')}))",
)

involved = reporter | author | assignee | admin

READ_ISSUE = READ_PROJECT & issues_enabled & (~confidential | involved)
UPDATE_ISSUE = READ_ISSUE & involved
ADMIN_ISSUE = READ_ISSUE & TRIAGE_ISSUES
COMMENT_ON_ISSUE = READ_ISSUE & (~locked | guest | admin)
"""Only members comment on an issue whose discussion is locked."""
DELETE_ISSUE = READ_ISSUE & OWN_PROJECT


class IssueRow(Row, alias="i"):
    """The columns that operations on an issue need."""

    id: int
    iid: int
    project_id: int
    state: str
    confidential: bool
    author_id: int
    updated_at: str
    namespace_id: Annotated[int, "p.namespace_id"]
    full_path: Annotated[str, "r.path"]
    triager: Annotated[bool, TRIAGE_ISSUES]
    """Whether the actor may triage."""
    owner: Annotated[bool, OWN_PROJECT]
    """Whether the actor may set dates."""
    manager: Annotated[bool, ADMIN_PROJECT]
    """Whether the actor may edit the notes of others."""
    project_active_at: Annotated[str, "p.last_activity_at"]


class NotedIssueRow(IssueRow):
    """An issue whose notes are about to be read."""

    note_sources: Annotated[str, note_sources("'issue'", "i.id")]


async def find_issue(tx: Tx, actor: Actor, ref: Ref, iid: int, *, to: Rule = READ_ISSUE) -> IssueRow:
    """The issue, if the actor may do this with it: 404 if they may not read it, 403 if they may only read it."""
    return await find_issue_as(IssueRow, tx, actor, ref, iid, to=to)


async def find_issue_address(tx: Tx, issue_id: int) -> tuple[Ref, int]:
    """The project and the number there of the issue with this id, for administrators; 404 if there is none."""
    found = await tx.row(
        tuple[int, int],
        "SELECT i.project_id, i.iid FROM issues i WHERE i.id = :id AND i.deleted_at IS NULL",
        id=issue_id,
    )
    project_id, iid = errors.or_not_found(found, "Issue")
    return Ref.of(project_id), iid


_NOTHING: Mapping[str, Value] = {}


async def find_issue_as(
    shape: type[AnyRow],
    tx: Tx,
    actor: Actor,
    ref: Ref,
    iid: int,
    *,
    to: Rule = READ_ISSUE,
    joined: LiteralString = "",
    bound: Mapping[str, Value] = _NOTHING,
) -> AnyRow:
    """Finds a row of another shape, made of the issue `i`, its project `p`, the route `r` and what is `joined`.

    One statement reads it.
    """
    rows = await tx.rows(
        tuple[Any, ...], _found_to(to, shape, joined, actor.kind), iid=iid, **ref.bound, **actor.bound, **bound
    )
    project_readable, readable, allowed, *found = rows[0] if rows else _NOT_FOUND
    if not project_readable:
        raise errors.not_found("Project")
    if not readable:
        raise errors.not_found("Issue")
    if not allowed:
        raise errors.forbidden()
    return read_row(shape, found)


_NOT_FOUND = (False, False, False)


@cache
def _found_to(to: Rule, shape: type[Row], joined: LiteralString, kind: Kind) -> LiteralString:
    """Each right is checked only if the one before holds, so that one is folded out of it."""
    known = known_of(kind)
    columns = shape.columns_assuming({**known, READ_ISSUE: True})
    project_readable = READ_PROJECT.assuming(known)
    readable, allowed = (
        READ_ISSUE.assuming({READ_PROJECT: True}).assuming(known),
        to.assuming({READ_ISSUE: True}).assuming(known),
    )
    found = PROJECT_AT if "p.level" in columns else PROJECT_SEEN
    return f"""
        WITH {found}
        SELECT {project_readable.for_row}, i.id IS NOT NULL AND {readable.for_row}, {allowed.for_row}, {columns}
        FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN issues i ON i.project_id = p.id AND i.iid = :iid AND i.deleted_at IS NULL {joined}
    """


_REFERENCE = re.compile(r"(?:https?://[^/]++)?/?([^#?\s]*?)(?:#|/(?:-/)?issues/)([0-9]{1,18})(?:[?#].*)?")

MAX_NAMED_LENGTH = 2_000
"""Longer than any address of an issue."""


async def find_named_issue(
    tx: Tx, actor: Actor, text: str, *, here: Ref | None = None, to: Rule = READ_ISSUE
) -> IssueRow:
    """The issue that the field `issue` names by an address or a reference: `group/project#7`, or `#7` in the project `here`.

    The complaint is the same for a missing and a hidden one.
    """
    match = _REFERENCE.fullmatch(text.strip()) if len(text) <= MAX_NAMED_LENGTH else None
    project = Ref(match[1]) if match and match[1] else here
    try:
        if match is None or project is None:
            raise errors.not_found("Issue")
        return await find_issue(tx, actor, project, int(match[2]), to=to)
    except (errors.NotFound, errors.Forbidden):
        raise errors.invalid({"issue": [INVALID]}) from None
