"""Changes of issues and merge requests as responses show them."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.planning.milestones.entities import Milestone, MilestoneView
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.resource_events.rules import events_of


class ResourceEvent(msgspec.Struct, kw_only=True):
    """`user` is null for what the instance did, and for users who are deleted."""

    id: int
    user: UserRef | None
    created_at: str
    resource_type: str
    resource_id: int


class EventLabel(msgspec.Struct):
    id: int
    name: str
    color: str
    description: str | None


class LabelEvent(ResourceEvent):
    label: EventLabel | None
    """Null: the label was deleted."""
    action: str


class StateEvent(ResourceEvent):
    state: str


class MilestoneEvent(ResourceEvent):
    milestone: Milestone | None
    action: str


class WeightEvent(ResourceEvent):
    weight: int | None


class EventLabelRow(Row, alias="l"):
    id: int
    name: Annotated[str, "l.title"]
    color: str
    description: str | None

    def shown(self) -> EventLabel:
        return EventLabel(self.id, self.name, self.color, self.description)


class ResourceEventView(Row, alias="re"):
    """An event (`re`) with its user (`u`), its label (`l`) and its milestone (`ms`)."""

    id: int
    created_at: str
    action: str
    weight: int | None
    user: RefRow | None
    label: EventLabelRow | None
    milestone: MilestoneView | None


AnyEvent = TypeVar("AnyEvent", bound=ResourceEvent)
Shown = Callable[[ResourceEventView, Noteable], AnyEvent]


def label_event(row: ResourceEventView, on: Noteable) -> LabelEvent:
    return _to_entity(LabelEvent, row, on, label=row.label and row.label.shown(), action=row.action)


def state_event(row: ResourceEventView, on: Noteable) -> StateEvent:
    return _to_entity(StateEvent, row, on, state=row.action)


def milestone_event(row: ResourceEventView, on: Noteable) -> MilestoneEvent:
    milestone = row.milestone and row.milestone.to_entity(Milestone)
    return _to_entity(MilestoneEvent, row, on, milestone=milestone, action=row.action)


def weight_event(row: ResourceEventView, on: Noteable) -> WeightEvent:
    return _to_entity(WeightEvent, row, on, weight=row.weight)


def _to_entity(kind: type[AnyEvent], row: ResourceEventView, on: Noteable, **values: Any) -> AnyEvent:
    user = row.user and row.user.shown()
    return to_entity(kind, row, user=user, resource_type=on.type, resource_id=on.id, **values)


async def load_page(tx: Tx, on: Noteable, field: str, shown: Shown[AnyEvent], page: Page) -> Paged[AnyEvent]:
    """One page of the events of one field, the oldest first."""
    rows = await load_rows(tx, ResourceEventView, events_of(on, field), ascending("re.id"), page)
    return rows.map(lambda row: shown(row, on))


async def load_one(tx: Tx, on: Noteable, field: str, shown: Shown[AnyEvent], event_id: int) -> AnyEvent:
    """One of them; 404 if it is of another field or noteable."""
    selection = events_of(on, field).where("re.id = :event_id", event_id=event_id)
    return shown(await find_row(tx, ResourceEventView, selection, "Resource Event"), on)
