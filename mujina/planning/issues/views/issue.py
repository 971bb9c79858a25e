"""Issues as the API shows them, and the rows from which they are made."""

from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import REF, RefRow, UserRef, ref_of
from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row
from mujina.planning.issues.declarations.work_item import SUBSCRIBED
from mujina.planning.milestones.entities import Milestone, MilestoneView
from mujina.planning.time_tracking.entities import TimeStats
from mujina.planning.work_items.label_details import LabelDetails


class MilestoneRef(Milestone, kw_only=True, omit_defaults=False):
    """The milestone of an issue; it has `project_id` or `group_id`, not both."""

    closed_at: str | UnsetType | None = UNSET


class Issue(msgspec.Struct, kw_only=True, rename={"links": "_links"}):
    """An issue; `subscribed` and `_links` are set on a single issue, votes on the target of a todo."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    closed_at: str | None
    labels: list[str]
    milestone: MilestoneRef | None
    assignees: list[UserRef]
    author: UserRef
    assignee: UserRef | None
    user_notes_count: int
    due_date: Annotated[str | None, "i.due_on"]
    confidential: bool
    weight: Annotated[int | UnsetType | None, "i.weight"] = UNSET
    discussion_locked: bool
    web_url: Computed[str]
    time_stats: TimeStats | UnsetType = UNSET
    upvotes: int | UnsetType = UNSET
    downvotes: int | UnsetType = UNSET
    subscribed: bool | UnsetType = UNSET
    links: dict[str, str] | UnsetType = UNSET


class LabeledIssue(Issue, kw_only=True):
    """An issue in a list that asks for the details of labels."""

    labels: list[LabelDetails]  # pyright: ignore[reportIncompatibleVariableOverride]


class IssueColumns(Row, alias="i", of=Issue):
    """The fields that an issue (`i`) shows of its own columns."""

    id: int
    iid: int
    project_id: int
    time_estimate: int
    total_time_spent: int


class MilestoneRefRow(MilestoneView):
    """The columns from which a `MilestoneRef` is made."""

    closed_at: str | None


class IssueView(IssueColumns):
    """An issue with its author (`u`), its milestone (`ms`) and the path of its project (`r`)."""

    full_path: Annotated[str, "r.path"]
    author: RefRow
    milestone: MilestoneRefRow | None


class WrittenIssue(Row):
    """An issue and its author, as `WRITTEN` returns them."""

    issue: IssueColumns
    author: RefRow


WRITTEN: LiteralString = f"{', '.join(IssueColumns.own_columns.values())}, {ref_of(':author_id')}"
"""The columns of a `WrittenIssue` behind the RETURNING of the statement that inserts the issue."""


class CreatedIssue(msgspec.Struct, frozen=True):
    """An issue that was just written, with what it was given: it is shown without being read again."""

    row: IssueColumns
    author: RefRow
    milestone: MilestoneRefRow | None
    assignees: list[RefRow]
    labels: list[str]
    full_path: str
    acted_on: bool = False
    """Whether commands did something to it after it was written."""


class SingleIssueView(IssueView):
    """A single issue, with labels and assignees as JSON."""

    subscribed: Annotated[bool, SUBSCRIBED]
    labels: Annotated[
        str | None,
        """(SELECT CAST(json_agg(l.title ORDER BY l.title) AS text)
            FROM issue_labels il JOIN labels l ON l.id = il.label_id WHERE il.issue_id = i.id)""",
    ]
    assignees: Annotated[
        str | None,
        f"""(SELECT CAST(json_agg(json_build_array({REF}) ORDER BY u.id) AS text)
            FROM issue_assignees a JOIN users u ON u.id = a.user_id WHERE a.issue_id = i.id)""",
    ]


AUTHOR_AND_MILESTONE: LiteralString = (
    "LEFT JOIN users u ON u.id = i.author_id LEFT JOIN milestones ms ON ms.id = i.milestone_id"
)
JOINED: LiteralString = f"JOIN routes r ON r.project_id = i.project_id {AUTHOR_AND_MILESTONE}"
