"""Feeds of several projects, found along the index of each: each walk ends where the page does."""

from typing import LiteralString

import msgspec

from mujina.activity.events.filters import NEWEST_FIRST, Feed
from mujina.kernel.db.sql.selection import Order
from mujina.kernel.db.transaction import Tx
from mujina.kernel.lists.pages import PagePlan, read_ids

_DEPTHS: dict[int, LiteralString] = {21: "21", 41: "41", 101: "101", 401: "401", 2001: "2001", 10_001: "10001"}
"""How far pages reach, rounded up, in smaller steps than `REACHES` of all lists: every project is walked that far."""
_ALL: LiteralString = "9223372036854775807"

MAX_MERGED = 100_000
"""Events; a page that reaches further is sorted by the database, out of all events of its projects."""


async def ids(tx: Tx, feed: Feed, plan: PagePlan) -> list[int]:
    """The ids of the events of a page, in the order of the list."""
    order, end = plan.order, plan.limit + plan.offset
    reach = _reach(end)
    active: list[int] = await tx.values(_active(feed, order, reach), **feed.events.bound)
    events = feed.events.where("event.project_id IN :active", active=active)
    if len(active) * int(reach) > MAX_MERGED:
        return await read_ids(tx, "event.id", events, plan)
    # They are merged here: PostgreSQL would join all events of all these projects.
    found = [
        event
        for first in await tx.values(_first(feed, order, reach), **events.bound)
        for event in msgspec.json.decode(first or "[]", type=list[tuple[str, int]])
    ]
    found.sort(reverse=order == NEWEST_FIRST)
    return [id_ for _, id_ in found[plan.offset : end]]


def _reach(end: int) -> LiteralString:
    for reach, text in _DEPTHS.items():
        if end <= reach:
            return text
    return _ALL


def _active(feed: Feed, order: Order, reach: LiteralString) -> LiteralString:
    """The projects whose events can be on the page: at most one per event that the page reaches, nearest first event first."""
    first = f"SELECT event.id {feed.events.text} AND event.project_id = one.id ORDER BY {order.text} LIMIT 1"
    return f"""WITH first AS MATERIALIZED (SELECT one.id AS project_id, ({first}) AS id FROM ({feed.projects}) one),
        event AS MATERIALIZED (
            SELECT first.*, (SELECT e.created_at FROM events e WHERE e.id = first.id) AS created_at FROM first)
        SELECT event.project_id FROM event WHERE event.id IS NOT NULL ORDER BY {order.text} LIMIT {reach}"""


def _first(feed: Feed, order: Order, reach: LiteralString) -> LiteralString:
    """The first events of each of these projects, of each as many as the page reaches, as JSON."""
    first = f"""SELECT event.id, event.created_at {feed.events.text} AND event.project_id = one.id
        ORDER BY {order.text} LIMIT {reach}"""
    return f"""SELECT (SELECT CAST(json_agg(json_build_array(event.created_at, event.id)) AS text) FROM ({first}) event)
        FROM projects one WHERE one.id IN :active"""
