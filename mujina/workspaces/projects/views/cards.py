"""Projects as the rows of a page show them: fewer columns than the API has, from one statement."""

import msgspec

from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.sql.selection import Order, Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects import filters
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.views.basics import SOURCE, ForksCount, SimpleProjectView, avatar_url


class ProjectCard(msgspec.Struct):
    """A row of a list of projects; its names are those of the API."""

    id: int
    name: str
    name_with_namespace: Computed[str]
    path_with_namespace: Computed[str]
    description: str | None
    visibility: str
    archived: bool
    avatar_url: Computed[str | None]
    star_count: int
    forks_count: ForksCount
    last_activity_at: str


class _CardView(SimpleProjectView, of=ProjectCard):
    avatar: str | None


async def found(tx: Tx, actor: Actor, query: ListProjects, page: Page) -> Paged[ProjectCard]:
    """One page of the projects that `GET /projects` lists for this query, and their number."""
    return await load_page(tx, filters.found(tx, actor, query), filters.order(query), page)


async def visible_to_everyone(
    tx: Tx, actor: Actor, order: Order, page: Page, search: str, topic: str
) -> Paged[ProjectCard]:
    """One page of the projects that need no membership, and their number."""
    selection = filters.visible_to_everyone(actor)
    if topic:
        selection = selection.where(filters.by_topics("topic", [topic]))
    if search:
        selection = filters.among_all(selection, tx.engine, search).collected("p")
    return await load_page(tx, selection, order, page)


async def load_page(tx: Tx, selection: Selection, order: Order, page: Page) -> Paged[ProjectCard]:
    """One page of these projects."""
    return (await load_joined(tx, _CardView, SOURCE, "p.id", selection, order, page)).map(_to_card)


def _to_card(row: _CardView) -> ProjectCard:
    return to_entity(
        ProjectCard,
        row,
        name_with_namespace=f"{row.namespace_full_name} / {row.name}",
        path_with_namespace=row.full_path,
        avatar_url=avatar_url(row.id, row.avatar),
    )
