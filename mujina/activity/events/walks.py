"""The ids of a page of a feed, found along indexes: each walk ends where the page does."""

from typing import LiteralString

from mujina.activity.events.filters import Feed
from mujina.kernel.db.transaction import Tx

_REACHES: dict[int, LiteralString] = {21: "21", 41: "41", 101: "101", 401: "401", 2001: "2001", 10_001: "10001"}
"""How far pages reach, rounded up: as a number in the text it is known when PostgreSQL plans the statement."""
_ALL: LiteralString = "9223372036854775807"


async def ids(tx: Tx, feed: Feed, order: LiteralString, limit: int, offset: int) -> list[int]:
    """The ids of the events of a page, in this order."""
    if not feed.projects:
        return await tx.values(
            f"SELECT event.id {feed.text} ORDER BY {order} LIMIT :limit OFFSET :offset",
            **feed.bound,
            limit=limit,
            offset=offset,
        )
    reach = _reach(limit + offset)
    active: list[int] = await tx.values(_active(feed, order, reach), **feed.bound)
    return await tx.values(_merged(feed, order, reach), **feed.bound, active=active, limit=limit, offset=offset)


def _reach(end: int) -> LiteralString:
    for reach, text in _REACHES.items():
        if end <= reach:
            return text
    return _ALL


def _active(feed: Feed, order: LiteralString, reach: LiteralString) -> LiteralString:
    """The projects from which the page comes: no more than it reaches events, those whose first event is nearest."""
    first = f"SELECT event.id {feed.text} AND event.project_id = one.id ORDER BY {order} LIMIT 1"
    return f"""WITH event AS MATERIALIZED (SELECT one.id AS project_id, ({first}) AS id FROM ({feed.projects}) one)
        SELECT event.project_id FROM event WHERE event.id IS NOT NULL ORDER BY {order} LIMIT {reach}"""


def _merged(feed: Feed, order: LiteralString, reach: LiteralString) -> LiteralString:
    """The page out of the first events of each of these projects, of each as many as the page reaches."""
    first = f"SELECT event.id {feed.text} AND event.project_id = one.id ORDER BY {order} LIMIT {reach}"
    last: LiteralString = "min" if "DESC" in order else "max"
    within: LiteralString = ">=" if "DESC" in order else "<="
    return f"""WITH walked AS MATERIALIZED (
            SELECT one.id, (SELECT {last}(reached.id) FROM ({first}) reached) AS last FROM projects one
            WHERE one.id IN :active)
        SELECT event.id FROM walked CROSS JOIN {feed.source}
        WHERE event.project_id = walked.id AND event.id {within} walked.last AND {feed.where}
        ORDER BY {order} LIMIT :limit OFFSET :offset"""
