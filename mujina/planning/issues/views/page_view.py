"""An issue as its page shows it: the API's issue, and what the reader may do with it."""

from typing import Annotated

import msgspec

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.declarations.noteable import noteable_of
from mujina.planning.issues.entities import to_single
from mujina.planning.issues.rules import (
    ADMIN_ISSUE,
    COMMENT_ON_ISSUE,
    DELETE_ISSUE,
    UPDATE_ISSUE,
    IssueRow,
    find_issue_as,
)
from mujina.planning.issues.views.issue import AUTHOR_AND_MILESTONE, Issue, SingleIssueView
from mujina.planning.noteables.kinds import Noteable


class IssuePageView(Row):
    shown: SingleIssueView
    row: IssueRow
    updatable: Annotated[bool, UPDATE_ISSUE]
    triaged: Annotated[bool, ADMIN_ISSUE]
    deletable: Annotated[bool, DELETE_ISSUE]
    commentable: Annotated[bool, COMMENT_ON_ISSUE]


class IssueOnPage(msgspec.Struct, frozen=True):
    issue: Issue
    updatable: bool
    triaged: bool
    """Labels, assignees, milestone and dates may be changed."""
    deletable: bool
    commentable: bool
    noteable: Noteable


async def read_issue(tx: Tx, actor: Actor, ref: Ref, iid: int) -> IssueOnPage:
    """The issue, if the actor may read it: one statement."""
    found = await find_issue_as(IssuePageView, tx, actor, ref, iid, joined=AUTHOR_AND_MILESTONE)
    return IssueOnPage(
        issue=to_single(found.shown), updatable=found.updatable, triaged=found.triaged, deletable=found.deletable,
        commentable=found.commentable, noteable=noteable_of(found.row),
    )  # fmt: skip
