"""Epics as their pages show them."""

from typing import Annotated

import msgspec

from mujina.kernel.db.rows import find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epic_labels.entities import labels_of
from mujina.planning.epics import filters
from mujina.planning.epics.declarations.noteable import SUBSCRIBED
from mujina.planning.epics.entities import Epic, EpicView, group_paths, load_page
from mujina.planning.epics.params import ListEpics
from mujina.planning.labels.entities import LabelChip
from mujina.workspaces.groups.rules import GroupRow


class EpicPageView(EpicView):
    created_at: str
    subscribed: Annotated[bool, SUBSCRIBED]


class EpicOnPage(msgspec.Struct, frozen=True):
    epic: Epic
    created_at: str
    subscribed: bool
    labels: list[LabelChip]


async def read_epic(tx: Tx, actor: Actor, epic_id: int) -> EpicOnPage:
    """One epic that was found; 404 if it was deleted in the meantime."""
    selection = Selection("epics e JOIN users u ON u.id = e.author_id", "e.id = :id", id=epic_id, **actor.bound)
    row = await find_row(tx, EpicPageView, selection, "Epic")
    return EpicOnPage(
        row.to_entity(), row.created_at, row.subscribed, (await labels_of(tx, [epic_id])).get(epic_id, [])
    )


class EpicList(msgspec.Struct, frozen=True):
    epics: Paged[Epic]
    paths: dict[int, str]
    """The paths of their groups, by id."""
    labels: dict[int, list[LabelChip]]
    """The facts by the ids of the epics."""

    def address(self, epic: Epic) -> str:
        return f"/groups/{self.paths[epic.group_id]}/-/epics/{epic.iid}"


async def read_epics(tx: Tx, actor: Actor, group: GroupRow, query: ListEpics, page: Page) -> EpicList:
    """The epics of the group and of the readable groups below it that match the query."""
    selection = await filters.epics(tx, actor, group, query, page)
    return await _epic_list(tx, await load_page(tx, selection, filters.order(query), page))


async def _epic_list(tx: Tx, epics: Paged[Epic]) -> EpicList:
    paths = await group_paths(tx, {epic.group_id for epic in epics.items})
    return EpicList(epics, paths, await labels_of(tx, [epic.id for epic in epics.items]))


_BY_DATES = ascending("coalesce(e.start_on, e.end_on)", "e.id")


async def read_planned(tx: Tx, actor: Actor, group: GroupRow, page: Page) -> EpicList:
    """The epics that have a planned date, the earliest first."""
    selection = await filters.epics(tx, actor, group, ListEpics(), page)
    selection = selection.where("(e.start_on IS NOT NULL OR e.end_on IS NOT NULL)")
    return await _epic_list(tx, await load_page(tx, selection, _BY_DATES, page))
