"""Milestones as the API shows them."""

from typing import Annotated, LiteralString, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel import clock
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Order, Selection, ascending, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.urls import web


class Milestone(msgspec.Struct, kw_only=True):
    """A milestone; it has `project_id` or `group_id`, not both."""

    id: int
    iid: int
    project_id: int | UnsetType = UNSET
    group_id: int | UnsetType = UNSET
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    due_date: Annotated[str | None, "ms.due_on"]
    start_date: Annotated[str | None, "ms.start_on"]
    # Compat: `web_url`, also of the milestone of an issue, is younger than the specification; today's clients require it.
    web_url: Computed[str]


class OwnMilestone(Milestone, kw_only=True):
    """A milestone by itself, not as a part of what refers to it."""

    # Compat: `expired` is younger than the specification.
    expired: Computed[bool]


AnyMilestone = TypeVar("AnyMilestone", bound=Milestone)

OWNER_PATH: LiteralString = """coalesce((SELECT home.path FROM routes home WHERE home.project_id = ms.project_id),
    (SELECT home.path FROM routes home WHERE home.namespace_id = ms.group_id))"""
"""The path of the project or group of the milestone `ms`."""


def milestone_url(full_path: str, iid: int, *, of_group: bool) -> str:
    """The page of the milestone with this number of a project or group."""
    return web(f"/groups/{full_path}/-/milestones/{iid}" if of_group else f"/{full_path}/milestones/{iid}")


class MilestoneView(Row, alias="ms", of=Milestone):
    id: int
    iid: int
    project_id: int | None
    group_id: int | None
    full_path: Annotated[str, OWNER_PATH]

    def to_entity(self, kind: type[AnyMilestone]) -> AnyMilestone:
        return to_entity(
            kind, self, project_id=self.project_id or UNSET, group_id=self.group_id or UNSET,
            web_url=milestone_url(self.full_path, self.iid, of_group=self.group_id is not None),
        )  # fmt: skip


NEWEST_FIRST = descending("ms.id")
SOONEST_FIRST = ascending("ms.due_on IS NULL", "ms.due_on") + NEWEST_FIRST


async def load_page(tx: Tx, selection: Selection, page: Page, order: Order = NEWEST_FIRST) -> Paged[OwnMilestone]:
    """One page in this order."""
    return (await load_rows(tx, MilestoneView, selection, order, page)).map(_to_own)


async def load_one(tx: Tx, milestone_id: int) -> OwnMilestone:
    """One milestone; 404 if it was deleted in the meantime."""
    selection = Selection("milestones ms", "ms.id = :id", id=milestone_id)
    return _to_own(await find_row(tx, MilestoneView, selection, "Milestone"))


def _to_own(row: MilestoneView) -> OwnMilestone:
    milestone = row.to_entity(Milestone)
    due, active = milestone.due_date, milestone.state == "active"
    return to_entity(OwnMilestone, milestone, expired=active and due is not None and due < clock.today())
