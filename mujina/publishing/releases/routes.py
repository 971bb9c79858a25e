"""Releases of projects: notes, assets and milestones of a tag."""

from functools import partial
from typing import cast
from urllib.parse import quote, urlencode

from mujina.code.commits import operations as commits
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.tags.releases import remove_release
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.forms import read_query
from mujina.kernel.http.paging import SECRETS, Page, Paged, flatten
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.urls import api
from mujina.publishing.releases import entities, operations
from mujina.publishing.releases.entities import Release, ReleaseLink, SimpleRelease, to_link
from mujina.publishing.releases.filters import ORDERS, apply_filters
from mujina.publishing.releases.params import (
    CreateRelease,
    CreateReleaseLink,
    EditRelease,
    EditReleaseLink,
    ListGroupReleases,
    ListReleases,
    ShowRelease,
)
from mujina.publishing.releases.rules import (
    WRITE_RELEASES,
    ReleaseRow,
    find_asset_url,
    find_latest_tag,
    find_link,
    find_release,
    find_releases,
    releases_of_group,
)
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow, find_project


@get("/projects/:id/releases", anonymous=True)
async def list_releases(call: Call, id: Ref, query: ListReleases, page: Page) -> Paged[Release]:
    async with call.reading() as tx:
        releases, code = await find_releases(tx, call.actor, id)
        selection, order = apply_filters(releases, query), ORDERS[query.order_by].directed(query.sort)
        html = bool(query.include_html_description)
        return await entities.load_page(call.services, tx, call.actor, selection, order, page, html=html, code=code)


@get("/groups/:id/releases", anonymous=True)
async def list_group_releases(
    call: Call, id: Ref, query: ListGroupReleases, page: Page
) -> Paged[Release | SimpleRelease]:
    """List the releases of all projects below a group."""
    async with call.reading() as tx:
        group = await find_group(tx, call.actor, id)
        selection, code = await releases_of_group(tx, call.actor, group.id)
        order = ORDERS["released_at"].directed(query.sort)
        load = partial(entities.load_page, call.services, tx, call.actor, selection, order, page)
        if query.simple:
            return (await load()).map(entities.to_simple)
        return cast("Paged[Release | SimpleRelease]", await load(code=code or None))


@get("/projects/:id/releases/permalink/latest", anonymous=True, status=302)
async def show_latest_release(call: Call, id: Ref) -> Response:
    """Lead to the newest release that is out."""
    return await _to_latest(call, id, "")


@get("/projects/:id/releases/permalink/latest/*suffix", anonymous=True, status=302)
async def show_part_of_latest_release(call: Call, id: Ref, suffix: Segment) -> Response:
    """Lead to what is below the newest release that is out."""
    return await _to_latest(call, id, f"/{quote(suffix)}")


async def _to_latest(call: Call, id: Ref, suffix: str) -> Response:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
        tag = await find_latest_tag(tx, project.id, clock.now())
    kept = flatten(read_query(call.request.query_string), "order_by", *SECRETS)
    query = f"?{urlencode(kept)}" if kept else ""
    address = api(f"/projects/{project.id}/releases/{quote(tag, safe='')}{suffix}{query}")
    return Response(status=302, headers={"Location": address})


@get("/projects/:id/releases/:tag_name", anonymous=True)
async def show_release(call: Call, id: Ref, tag_name: Segment, query: ShowRelease) -> Release:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
        html = bool(query.include_html_description)
        return await _show(call, tx, await find_release(tx, call.actor, project.id, tag_name), html=html)


@get("/projects/:id/releases/:tag_name/downloads/*path", anonymous=True, status=302)
async def download_release_asset(call: Call, id: Ref, tag_name: Segment, path: Segment) -> Response:
    """Lead to the asset that has this permanent path."""
    async with call.reading() as tx:
        _, release = await _find(call, tx, id, tag_name)
        return Response(status=302, headers={"Location": await find_asset_url(tx, release.id, path)})


@post("/projects/:id/releases")
@with_repository_lock
async def create_release(call: Call, id: Ref, change: CreateRelease) -> Release:
    project, code = await commits.find_code(call.services, call.actor, id, to=WRITE_RELEASES)
    await operations.create(call.services, call.actor, project, code, change)
    async with call.reading() as tx:
        return await _show(call, tx, await find_release(tx, call.actor, project.id, change.tag_name))


@put("/projects/:id/releases/:tag_name")
async def edit_release(call: Call, id: Ref, tag_name: Segment, change: EditRelease) -> Release:
    async with call.transaction() as tx:
        project, release = await _find(call, tx, id, tag_name, to=WRITE_RELEASES)
        await operations.edit(tx, call.actor, project, release, change)
        return await _show(call, tx, await find_release(tx, call.actor, project.id, tag_name))


# Compat: the response to a deletion is what was deleted; clients of today decode it.
@delete("/projects/:id/releases/:tag_name", status=200)
async def delete_release(call: Call, id: Ref, tag_name: Segment) -> Release:
    """Delete a release; its tag stays."""
    async with call.transaction() as tx:
        _, release = await _find(call, tx, id, tag_name, to=WRITE_RELEASES)
        call.unless_modified(release.updated_at)
        shown = await _show(call, tx, release)
        await remove_release(tx, call.actor, release)
    return shown


@get("/projects/:id/releases/:tag_name/assets/links", anonymous=True)
async def list_release_links(call: Call, id: Ref, tag_name: Segment, page: Page) -> Paged[ReleaseLink]:
    async with call.reading() as tx:
        _, release = await _find(call, tx, id, tag_name)
        return page.cut(await entities.load_links(tx, release))


@get("/projects/:id/releases/:tag_name/assets/links/:link_id", anonymous=True)
async def show_release_link(call: Call, id: Ref, tag_name: Segment, link_id: int) -> ReleaseLink:
    async with call.reading() as tx:
        _, release = await _find(call, tx, id, tag_name)
        return to_link(release, await find_link(tx, release.id, link_id))


@post("/projects/:id/releases/:tag_name/assets/links")
async def create_release_link(call: Call, id: Ref, tag_name: Segment, change: CreateReleaseLink) -> ReleaseLink:
    async with call.transaction() as tx:
        _, release = await _find(call, tx, id, tag_name, to=WRITE_RELEASES)
        link_id = await operations.add_link(tx, call.actor, release, change)
        return to_link(release, await find_link(tx, release.id, link_id))


@put("/projects/:id/releases/:tag_name/assets/links/:link_id")
async def edit_release_link(
    call: Call, id: Ref, tag_name: Segment, link_id: int, change: EditReleaseLink
) -> ReleaseLink:
    async with call.transaction() as tx:
        _, release = await _find(call, tx, id, tag_name, to=WRITE_RELEASES)
        link = await find_link(tx, release.id, link_id)
        await operations.edit_link(tx, call.actor, release, link, change)
        return to_link(release, await find_link(tx, release.id, link_id))


@delete("/projects/:id/releases/:tag_name/assets/links/:link_id", status=200)
async def delete_release_link(call: Call, id: Ref, tag_name: Segment, link_id: int) -> ReleaseLink:
    async with call.transaction() as tx:
        _, release = await _find(call, tx, id, tag_name, to=WRITE_RELEASES)
        link = await find_link(tx, release.id, link_id)
        call.unless_modified(link.updated_at)
        await operations.remove_link(tx, call.actor, release, link)
        return to_link(release, link)


async def _find(call: Call, tx: Tx, id: Ref, tag_name: str, *, to: Rule = READ_CODE) -> tuple[ProjectRow, ReleaseRow]:
    project = await find_project(tx, call.actor, id, to=to)
    return project, await find_release(tx, call.actor, project.id, tag_name)


async def _show(call: Call, tx: Tx, release: ReleaseRow, *, html: bool = False) -> Release:
    return await entities.load_release(call.services, tx, call.actor, release, html=html)
