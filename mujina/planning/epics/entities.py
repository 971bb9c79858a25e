"""Epics as the API shows them."""

from collections.abc import Iterable
from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Order, Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web


class Epic(msgspec.Struct):
    id: int
    iid: int
    group_id: int
    title: str
    description: str | None
    author: UserRef
    start_date: Annotated[str | None, "e.start_on"]
    end_date: Annotated[str | None, "e.end_on"]


class EpicTarget(Epic):
    """An epic as the target of a todo."""

    web_url: Computed[str]


class EpicView(Row, alias="e", of=Epic):
    """An epic (`e`) with its author (`u`)."""

    id: int
    iid: int
    group_id: int
    author: RefRow

    def to_entity(self) -> Epic:
        return to_entity(Epic, self, author=self.author.shown())


_SOURCE: LiteralString = "epics e JOIN users u ON u.id = e.author_id"
_SELECT: LiteralString = f"SELECT {EpicView.columns} FROM {_SOURCE}"


async def load_page(tx: Tx, selection: Selection, order: Order, page: Page) -> Paged[Epic]:
    """One page of epics."""
    return (await load_joined(tx, EpicView, _SOURCE, "e.id", selection, order, page)).map(EpicView.to_entity)


async def load_one(tx: Tx, epic_id: int) -> Epic:
    """One epic; 404 if it was deleted in the meantime."""
    return (await find_row(tx, EpicView, Selection(_SOURCE, "e.id = :id", id=epic_id), "Epic")).to_entity()


async def group_paths(tx: Tx, ids: Iterable[int]) -> dict[int, str]:
    """The full paths of these groups."""
    return dict(
        await tx.rows(
            tuple[int, str],
            "SELECT r.namespace_id, r.path FROM routes r WHERE r.namespace_id IN :ids",
            ids=sorted(ids),
        )
    )


async def as_targets(tx: Tx, _: Actor, ids: list[int]) -> dict[int, EpicTarget]:
    """The epics of these ids, as todos show them."""
    rows = await tx.rows(EpicView, f"{_SELECT} WHERE e.id IN :ids", ids=ids)
    paths = await group_paths(tx, {row.group_id for row in rows})
    return {
        row.id: to_entity(
            EpicTarget,
            row,
            author=row.author.shown(),
            web_url=web(f"/groups/{paths[row.group_id]}/-/epics/{row.iid}"),
        )
        for row in rows
        if row.group_id in paths
    }
