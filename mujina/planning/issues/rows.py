"""The rows from which issues are shown, and an issue as it was just written."""

from typing import Any, LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow, ref_of
from mujina.kernel.db.rows import Row
from mujina.planning.milestones.entities import MilestoneView


class MilestoneRefRow(MilestoneView):
    """The columns from which a `MilestoneRef` is made."""

    closed_at: str | None


class IssueColumns(Row, alias="i"):
    """What an issue (`i`) shows of its own columns."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    closed_at: str | None
    user_notes_count: int
    due_on: str | None
    confidential: bool
    weight: int | None
    discussion_locked: bool
    time_estimate: int
    total_time_spent: int


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


WRITTEN: LiteralString = f"{IssueColumns.columns.replace('i.', '')}, {ref_of(':author_id')}"
"""The columns of an issue and of its author behind the RETURNING of the statement that inserts the issue."""


def read_written(written: tuple[Any, ...]) -> tuple[IssueColumns, RefRow]:
    """What `WRITTEN` returned."""
    width = len(IssueColumns.__struct_fields__)
    return (
        msgspec.convert(written[:width], IssueColumns, strict=False),
        msgspec.convert(written[width:], RefRow, strict=False),
    )
