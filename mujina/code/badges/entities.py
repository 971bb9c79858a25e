"""Badges as responses and pages show them."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

import msgspec

from mujina.code.badges.filters import selected
from mujina.code.badges.params import BadgeUrls, ListBadges
from mujina.code.badges.placeholders import fill, read_values
from mujina.code.badges.rules import BadgePlace, BadgeRow, find_place
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address
from mujina.workspaces.owners.rules import Owner
from mujina.workspaces.projects.rules import ProjectRow

_HOME: Final = Page(1, 20, {})
_OWN_PICTURE: Final = re.compile(r"/[^?#]+/badges/[^?#]+\.svg(\?[^#]*)?")


class RenderedBadge(msgspec.Struct):
    link_url: str
    image_url: str
    rendered_link_url: str
    rendered_image_url: str


class Badge(msgspec.Struct):
    name: str | None
    id: int
    link_url: str
    image_url: str
    rendered_link_url: str
    rendered_image_url: str
    kind: str

    def picture(self, services: Services) -> str:
        """The address of the picture if a page may load it, else nothing.

        A picture of another site tells that site who reads the page, so the operator decides; of the addresses of this
        site, only a badge of a pipeline is opened in the name of the reader.
        """
        address, base = self.rendered_image_url, instance_address.get().base
        if not address.startswith(f"{base}/"):
            return address if services.settings.external_images and address.startswith("https://") else ""
        path = address.removeprefix(base)
        return address if _OWN_PICTURE.fullmatch(path) and ".." not in unquote(path) and "\\" not in path else ""


async def load_page(tx: Tx, owner: Owner, query: ListBadges, page: Page) -> Paged[BadgeRow]:
    """One page, oldest first."""
    return await load_rows(tx, BadgeRow, selected(owner, query), ascending("bd.id"), page)


async def load_home(tx: Tx, actor: Actor, project: ProjectRow) -> tuple[BadgePlace, Sequence[BadgeRow]]:
    """The first badges of a project for its home page."""
    place = await find_place(tx, actor, "project", Ref.of(project.id))
    return place, (await load_page(tx, place.owner, ListBadges(), _HOME)).items


async def render_badges(services: Services, place: BadgePlace, rows: Sequence[BadgeRow]) -> list[Badge]:
    """The badges with what the actor may see in the place of placeholders; it may read the repository."""
    values = await read_values(services, place, [url for row in rows for url in (row.link_url, row.image_url)])
    return [
        to_entity(
            Badge, row, rendered_link_url=fill(row.link_url, values), rendered_image_url=fill(row.image_url, values)
        )
        for row in rows
    ]


async def render_urls(services: Services, place: BadgePlace, urls: BadgeUrls) -> RenderedBadge:
    """The addresses as a badge with them would show them."""
    values = await read_values(services, place, [urls.link_url, urls.image_url])
    return RenderedBadge(urls.link_url, urls.image_url, fill(urls.link_url, values), fill(urls.image_url, values))
