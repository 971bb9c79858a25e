"""What is shown of a milestone."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page


class Milestone(msgspec.Struct, kw_only=True):
    """A milestone of a project or of a group; only that one is named."""

    id: int
    iid: int
    project_id: int | UnsetType = UNSET
    group_id: int | UnsetType = UNSET
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    due_date: str | None
    start_date: str | None


class _Row(msgspec.Struct, array_like=True, frozen=True):
    id: int
    iid: int
    project_id: int | None
    group_id: int | None
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    due_date: str | None
    start_date: str | None

    def shown(self) -> Milestone:
        return Milestone(
            id=self.id, iid=self.iid, project_id=self.project_id or UNSET, group_id=self.group_id or UNSET,
            title=self.title, description=self.description, state=self.state, created_at=self.created_at,
            updated_at=self.updated_at, due_date=self.due_date, start_date=self.start_date,
        )  # fmt: skip


_COLUMNS: LiteralString = """ms.id, ms.iid, ms.project_id, ms.group_id, ms.title, ms.description, ms.state,
    ms.created_at, ms.updated_at, ms.due_on, ms.start_on"""


async def listed(tx: Tx, chosen: Selection, page: Page) -> list[Milestone]:
    """One page, the newest first."""
    rows = await tx.rows(
        _Row,
        f"SELECT {_COLUMNS} {chosen.text} ORDER BY ms.id DESC LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [row.shown() for row in rows]


async def single(tx: Tx, milestone_id: int) -> Milestone:
    """One milestone; it may have been deleted since it was found."""
    row = await tx.row(_Row, f"SELECT {_COLUMNS} FROM milestones ms WHERE ms.id = :id", id=milestone_id)
    if row is None:
        raise errors.not_found("Milestone")
    return row.shown()
