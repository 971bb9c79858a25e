"""What happened to the labels, states, milestones and weights of issues and merge requests."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.planning.noteables.addresses import PATHS, find_noteable
from mujina.planning.noteables.kinds import NoteableName
from mujina.planning.resource_events import entities
from mujina.planning.resource_events.entities import LabelEvent, MilestoneEvent, StateEvent, WeightEvent

_ISSUE = PATHS["issue"][0]


def _paths(suffix: str) -> dict[str, tuple[str, ...]]:
    return {kind: tuple(path + suffix for path in PATHS[kind]) for kind in ("issue", "merge_request")}


@get(**_paths("/resource_label_events"))
async def list_label_events(call: Call, kind: NoteableName, id: Ref, noteable_id: int, page: Page) -> Paged[LabelEvent]:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await entities.load_page(tx, noteable, "label", entities.label_event, page)


@get(**_paths("/resource_label_events/:event_id"))
async def show_label_event(call: Call, kind: NoteableName, id: Ref, noteable_id: int, event_id: int) -> LabelEvent:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await entities.load_one(tx, noteable, "label", entities.label_event, event_id)


@get(**_paths("/resource_state_events"))
async def list_state_events(call: Call, kind: NoteableName, id: Ref, noteable_id: int, page: Page) -> Paged[StateEvent]:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await entities.load_page(tx, noteable, "state", entities.state_event, page)


@get(**_paths("/resource_state_events/:event_id"))
async def show_state_event(call: Call, kind: NoteableName, id: Ref, noteable_id: int, event_id: int) -> StateEvent:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await entities.load_one(tx, noteable, "state", entities.state_event, event_id)


@get(**_paths("/resource_milestone_events"))
async def list_milestone_events(
    call: Call, kind: NoteableName, id: Ref, noteable_id: int, page: Page
) -> Paged[MilestoneEvent]:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await entities.load_page(tx, noteable, "milestone", entities.milestone_event, page)


@get(**_paths("/resource_milestone_events/:event_id"))
async def show_milestone_event(
    call: Call, kind: NoteableName, id: Ref, noteable_id: int, event_id: int
) -> MilestoneEvent:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await entities.load_one(tx, noteable, "milestone", entities.milestone_event, event_id)


@get(f"{_ISSUE}/resource_weight_events")
async def list_weight_events(call: Call, id: Ref, noteable_id: int, page: Page) -> Paged[WeightEvent]:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, "issue", id, noteable_id)
        return await entities.load_page(tx, noteable, "weight", entities.weight_event, page)


@get(f"{_ISSUE}/resource_weight_events/:event_id")
async def show_weight_event(call: Call, id: Ref, noteable_id: int, event_id: int) -> WeightEvent:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, "issue", id, noteable_id)
        return await entities.load_one(tx, noteable, "weight", entities.weight_event, event_id)
