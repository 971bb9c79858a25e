"""Topics as responses show them."""

from typing import Final

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Order
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.workspaces.topics.filters import selected
from mujina.workspaces.topics.params import ListTopics
from mujina.workspaces.topics.rules import TOTAL, TopicRow

_MOST_USED: Final = Order(((TOTAL, True), ("tp.name_folded", False), ("tp.id", False)))


class Topic(msgspec.Struct):
    id: int
    name: str
    title: str
    description: str | None
    total_projects_count: int
    organization_id: int
    avatar_url: str | None


def to_topic(row: TopicRow) -> Topic:
    avatar = web(f"/uploads/-/system/topic/avatar/{row.id}/{row.avatar}") if row.avatar else None
    # Topics belong to the one organization that clients of today expect.
    return to_entity(Topic, row, organization_id=1, avatar_url=avatar)


async def load_page(tx: Tx, actor: Actor, query: ListTopics, page: Page) -> Paged[Topic]:
    """One page of the topics that the actor sees, those of most public projects first."""
    return (await load_rows(tx, TopicRow, selected(actor, query), _MOST_USED, page)).map(to_topic)
