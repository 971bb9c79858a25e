"""An issue as its page shows it: the API's issue, and what the reader may do with it."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.awards.rules import awarded
from mujina.planning.issues.declarations.noteable import noteable_of
from mujina.planning.issues.entities import to_single
from mujina.planning.issues.rules import (
    ADMIN_ISSUE,
    COMMENT_ON_ISSUE,
    DELETE_ISSUE,
    UPDATE_ISSUE,
    NotedIssueRow,
    find_issue_as,
)
from mujina.planning.issues.views.issue import AUTHOR_AND_MILESTONE, Issue, SingleIssueView
from mujina.planning.labels.entities import LabelChip
from mujina.planning.noteables.kinds import Noteable


class IssuePageView(Row):
    shown: SingleIssueView
    row: NotedIssueRow
    updatable: Annotated[bool, UPDATE_ISSUE]
    triaged: Annotated[bool, ADMIN_ISSUE]
    moved: Annotated[bool, "(i.moved_to_id IS NOT NULL)"]
    deletable: Annotated[bool, DELETE_ISSUE]
    commentable: Annotated[bool, COMMENT_ON_ISSUE]
    linked: Annotated[
        bool,
        """(EXISTS (SELECT 1 FROM issue_links link WHERE link.source_id = i.id)
            OR EXISTS (SELECT 1 FROM issue_links link WHERE link.target_id = i.id))""",
    ]
    awarded: Annotated[bool, awarded("issue", "i.id")]
    chips: Annotated[
        str | None,
        f"""(SELECT CAST(json_agg(json_build_array({LabelChip.columns}) ORDER BY l.project_id NULLS FIRST) AS text)
            FROM issue_labels il JOIN labels l ON l.id = il.label_id WHERE il.issue_id = i.id)""",
    ]
    """Its labels as JSON; a label of the project follows one of a group that has the same title."""
    leads: Annotated[
        bool,
        """(i.moved_to_id IS NOT NULL OR ms.group_id IS NOT NULL
            OR EXISTS (SELECT 1 FROM epic_issues ei WHERE ei.issue_id = i.id))""",
    ]


_read_chips = msgspec.json.Decoder(list[LabelChip]).decode


class IssueOnPage(msgspec.Struct, frozen=True):
    issue: Issue
    updatable: bool
    triaged: bool
    """Labels, assignees, milestone and dates may be changed."""
    moved: bool
    """An issue moves once."""
    deletable: bool
    commentable: bool
    linked: bool
    """There are links to other issues, of which the reader may see some, all or none."""
    awarded: bool
    leads: bool
    """It has an epic or the milestone of a group, or was moved."""
    labels: Mapping[str, LabelChip]
    """Its labels by title."""
    noteable: Noteable


async def read_issue(tx: Tx, actor: Actor, ref: Ref, iid: int) -> IssueOnPage:
    """The issue, if the actor may read it: one statement."""
    found = await find_issue_as(IssuePageView, tx, actor, ref, iid, joined=AUTHOR_AND_MILESTONE)
    return IssueOnPage(
        issue=to_single(found.shown), updatable=found.updatable, triaged=found.triaged, moved=found.moved,
        deletable=found.deletable, commentable=found.commentable, linked=found.linked, awarded=found.awarded,
        leads=found.leads, labels={chip.title: chip for chip in _read_chips(found.chips or "[]")},
        noteable=noteable_of(found.row, found.row.note_sources),
    )  # fmt: skip
