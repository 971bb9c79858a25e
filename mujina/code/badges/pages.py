"""The settings page of the badges of a project or group."""

from typing import Final

from mujina.code.badges import entities, operations
from mujina.code.badges.entities import render_badges
from mujina.code.badges.params import BadgeForm, CreateBadge, EditBadge, ListBadges
from mujina.code.badges.placeholders import NAMES
from mujina.code.badges.rules import ADMIN_BADGES, BadgePlace, find_own_badge, find_place
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.workspaces.groups.rules import ADMIN_GROUP
from mujina.workspaces.owners.rules import OwnerRule
from mujina.workspaces.projects.rules import OWN_PROJECT

_PAGE: Final = "/{owner}/settings/badges"
_ONE: Final = f"{_PAGE}/{{badge_id:int}}"
_RIGHTS: Final[dict[str, OwnerRule]] = {"own": {"project": OWN_PROJECT}, "admin": {"group": ADMIN_GROUP}}


@view(_PAGE, to=ADMIN_BADGES, rights=_RIGHTS, anonymous=False)
async def show_badges(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        place = await _place(tx, request)
        rows = await entities.load_page(tx, place.owner, ListBadges(), page)
    badges = rows.with_items(await render_badges(request.services, place, rows.items))
    return HtmlPage("code/badges.html", {"badges": badges, "placeholders": NAMES})


@form(_PAGE, to=ADMIN_BADGES)
async def create_badge(request: PageRequest) -> Redirect:
    given = request.read_form(BadgeForm, "badge")
    change = CreateBadge(link_url=given.link_url.strip(), image_url=given.image_url.strip(), name=given.name.strip())
    async with request.transaction() as tx:
        await operations.create(tx, request.actor, (await _place(tx, request)).owner, change)
    return Redirect(_here(request), flash="Badge added.")


@view(f"{_ONE}/edit", to=ADMIN_BADGES, anonymous=False)
async def show_badge_form(request: PageRequest, badge_id: int) -> HtmlPage:
    async with request.reading() as tx:
        badge = await find_own_badge(tx, (await _place(tx, request)).owner, badge_id)
    return HtmlPage("code/badge_form.html", {"badge": badge, "placeholders": NAMES})


@form(_ONE, to=ADMIN_BADGES, again=f"{_ONE}/edit")
async def save_badge(request: PageRequest, badge_id: int) -> Redirect:
    given = request.read_form(BadgeForm, "badge")
    change = EditBadge(link_url=given.link_url.strip(), image_url=given.image_url.strip(), name=given.name.strip())
    async with request.transaction() as tx:
        owner = (await _place(tx, request)).owner
        await operations.edit(tx, request.actor, owner, await find_own_badge(tx, owner, badge_id), change)
    return Redirect(_here(request), flash="Badge saved.")


@form(f"{_PAGE}/delete", to=ADMIN_BADGES, again=_PAGE)
async def delete_badge(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        owner = (await _place(tx, request)).owner
        badge = await find_own_badge(tx, owner, request.read_form(Numbered).id)
        await operations.remove(tx, request.actor, owner, badge)
    return Redirect(_here(request), flash="Badge removed.")


async def _place(tx: Tx, request: PageRequest) -> BadgePlace:
    container = request.container
    assert container is not None
    return await find_place(tx, request.actor, container.kind, Ref.of(container.row.id), to=ADMIN_BADGES)


def _here(request: PageRequest) -> str:
    return f"{request.here}/settings/badges"
