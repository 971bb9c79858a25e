"""Badges of projects and groups."""

from mujina.code.badges import entities, operations
from mujina.code.badges.entities import Badge, RenderedBadge, render_badges
from mujina.code.badges.params import BadgeUrls, CreateBadge, EditBadge, ListBadges
from mujina.code.badges.rules import ADMIN_BADGES, BadgePlace, BadgeRow, find_badge, find_own_badge, find_place
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.owners.rules import owner_paths


@get(**owner_paths("/badges"), anonymous=True)
async def list_owner_badges(call: Call, kind: OwnerKind, id: Ref, query: ListBadges, page: Page) -> Paged[Badge]:
    """List the badges; those of a project include the ones of the groups above it."""
    async with call.reading() as tx:
        place = await find_place(tx, call.actor, kind, id)
        rows = await entities.load_page(tx, place.owner, query, page)
    return rows.with_items(await render_badges(call.services, place, rows.items))


@get(**owner_paths("/badges/render"))
async def render_owner_badge(call: Call, kind: OwnerKind, id: Ref, query: BadgeUrls) -> RenderedBadge:
    """Show what the placeholders in two addresses would become."""
    operations.check_urls(query.sent_fields())
    async with call.reading() as tx:
        place = await find_place(tx, call.actor, kind, id, to=ADMIN_BADGES)
    return await entities.render_urls(call.services, place, query)


@get(**owner_paths("/badges/:badge_id"), anonymous=True)
async def show_owner_badge(call: Call, kind: OwnerKind, id: Ref, badge_id: int) -> Badge:
    async with call.reading() as tx:
        place = await find_place(tx, call.actor, kind, id)
        badge = await find_badge(tx, place.owner, badge_id)
    return await _rendered(call, place, badge)


@post(**owner_paths("/badges"))
async def create_owner_badge(call: Call, kind: OwnerKind, id: Ref, change: CreateBadge) -> Badge:
    async with call.transaction() as tx:
        place = await find_place(tx, call.actor, kind, id, to=ADMIN_BADGES)
        badge_id = await operations.create(tx, call.actor, place.owner, change)
        badge = await find_badge(tx, place.owner, badge_id)
    return await _rendered(call, place, badge)


@put(**owner_paths("/badges/:badge_id"))
async def edit_owner_badge(call: Call, kind: OwnerKind, id: Ref, badge_id: int, change: EditBadge) -> Badge:
    async with call.transaction() as tx:
        place = await find_place(tx, call.actor, kind, id, to=ADMIN_BADGES)
        badge = await find_own_badge(tx, place.owner, badge_id)
        await operations.edit(tx, call.actor, place.owner, badge, change)
        badge = await find_badge(tx, place.owner, badge_id)
    return await _rendered(call, place, badge)


@delete(**owner_paths("/badges/:badge_id"))
async def delete_owner_badge(call: Call, kind: OwnerKind, id: Ref, badge_id: int) -> None:
    async with call.transaction() as tx:
        place = await find_place(tx, call.actor, kind, id, to=ADMIN_BADGES)
        badge = await find_own_badge(tx, place.owner, badge_id)
        call.unless_modified(badge.updated_at)
        await operations.remove(tx, call.actor, place.owner, badge)


async def _rendered(call: Call, place: BadgePlace, badge: BadgeRow) -> Badge:
    return (await render_badges(call.services, place, [badge]))[0]
