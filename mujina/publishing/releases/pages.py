"""Pages about releases: the list, its feed, one release, its forms."""

from urllib.parse import quote

from mujina.code.branches import operations as branches
from mujina.code.commits import operations as commits
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.tags.releases import remove_release
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.feeds import FIRST, FeedEntry, atom, permanent_id
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, download, feed, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET
from mujina.kernel.urls import web
from mujina.publishing.releases import entities, operations
from mujina.publishing.releases.entities import Release
from mujina.publishing.releases.filters import ORDERS
from mujina.publishing.releases.params import CreateRelease, CreateReleaseLink, EditRelease, ReleaseForm
from mujina.publishing.releases.rules import (
    READ_RELEASES,
    WRITE_RELEASES,
    ReleaseRow,
    find_asset_url,
    find_latest_tag,
    find_link,
    find_release,
    releases_of_project,
)
from mujina.rendering.html import Html
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow

_ALL, _ONE = "/{project}/-/releases", "/{project}/-/releases/{name:path}"


@view(_ALL, to=READ_RELEASES, rights={"write": WRITE_RELEASES})
async def show_releases(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        releases = await _load(tx, request, project, page)
    return HtmlPage("publishing/releases.html", {"releases": releases, "notes": _notes, "here": _here(request)})


@feed(f"{_ALL}.atom", to=READ_RELEASES)
async def show_release_feed(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        releases = await _load(tx, request, project, FIRST)
    path = _here(request)
    entries = [
        FeedEntry(
            id=permanent_id("release", position, release.created_at), title=release.name,
            address=release.links.get("self", web(path)), updated_at=release.released_at,
            author=release.author.name if release.author else "", text=release.description,
        )
        for position, release in enumerate(releases.items)
    ]  # fmt: skip
    return atom(f"Releases of {project.name}", path, entries)


@view(f"{_ALL}/new", to=WRITE_RELEASES)
async def show_new_release(request: PageRequest, project: ProjectRow) -> HtmlPage:
    code = await commits.code_of(request.services, project)
    context = {"release": None, "default": project.default_branch or "", "names": branches.names(code)[:50]}
    return HtmlPage("publishing/release_form.html", {**context, "here": _here(request)})


@form(_ALL, to=WRITE_RELEASES, again=f"{_ALL}/new")
@with_repository_lock
async def create_release(request: PageRequest, project: ProjectRow) -> Redirect:
    sent = request.read_form(ReleaseForm, "release")
    change = CreateRelease(tag_name=sent.tag_name.strip(), ref=sent.ref, **sent.change().sent_fields())
    code = await commits.code_of(request.services, project)
    await operations.create(request.services, request.actor, project, code, change)
    return Redirect(f"{_here(request)}/{quote(change.tag_name)}", flash="Release created.")


@view(_ONE, to=READ_CODE, rights={"write": WRITE_RELEASES})
async def show_release(request: PageRequest, project: ProjectRow, name: str) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_release(tx, request.actor, project.id, name)
        release = await _entity(tx, request, row)
    return HtmlPage("publishing/release.html", {"release": release, "notes": _notes, "here": _here(request)})


@view(f"{_ONE}/edit", to=WRITE_RELEASES)
async def show_edit_release(request: PageRequest, project: ProjectRow, name: str) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_release(tx, request.actor, project.id, name)
        release = await _entity(tx, request, row)
    milestones = [] if release.milestones is UNSET else [milestone.title for milestone in release.milestones]
    context = {"release": row, "milestones": ", ".join(milestones), "here": _here(request)}
    return HtmlPage("publishing/release_form.html", context)


@form(_ONE, to=WRITE_RELEASES, again=f"{_ONE}/edit")
async def edit_release(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    sent = request.read_form(ReleaseForm, "release")
    async with request.transaction() as tx:
        release = await find_release(tx, request.actor, project.id, name)
        await operations.edit(tx, request.actor, project, release, EditRelease(**sent.change().sent_fields()))
    return Redirect(f"{_here(request)}/{quote(name)}", flash="Changes saved.")


@form(f"{_ONE}/delete", to=WRITE_RELEASES, again=_ONE)
async def delete_release(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    async with request.transaction() as tx:
        await remove_release(tx, request.actor, await find_release(tx, request.actor, project.id, name))
    return Redirect(_here(request), flash=f"The release of {name} was deleted.")


@form(f"{_ONE}/links", to=WRITE_RELEASES, again=_ONE)
async def add_link(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    change = request.read_form(CreateReleaseLink, "link")
    async with request.transaction() as tx:
        release = await find_release(tx, request.actor, project.id, name)
        await operations.add_link(tx, request.actor, release, change)
    return Redirect(f"{_here(request)}/{quote(name)}")


@form(f"{_ONE}/links/delete", to=WRITE_RELEASES, again=_ONE)
async def delete_link(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    link_id = request.read_form(Numbered).id
    async with request.transaction() as tx:
        release = await find_release(tx, request.actor, project.id, name)
        await operations.remove_link(tx, request.actor, release, await find_link(tx, release.id, link_id))
    return Redirect(f"{_here(request)}/{quote(name)}")


@view("/{project}/-/releases/permalink/latest", to=READ_CODE)
async def show_latest_release(request: PageRequest, project: ProjectRow) -> Redirect:
    async with request.reading() as tx:
        tag = await find_latest_tag(tx, project.id, clock.now())
    return Redirect(f"{_here(request)}/{quote(tag)}")


@download(f"{_ONE}/downloads/{{path:path}}", to=READ_CODE)
async def download_asset(request: PageRequest, project: ProjectRow, name: str, path: str) -> Response:
    """The permanent address of an asset leads to where it is."""
    async with request.reading() as tx:
        release = await find_release(tx, request.actor, project.id, name)
        return Response(
            status=302, headers={"Location": await find_asset_url(tx, release.id, path)}, content_type="text/plain"
        )


def _here(request: PageRequest) -> str:
    return f"{request.here}/-/releases"


async def _load(tx: Tx, request: PageRequest, project: ProjectRow, page: Page) -> Paged[Release]:
    selection, order = releases_of_project(project.id), ORDERS["released_at"].reversed
    return await entities.load_page(request.services, tx, request.actor, selection, order, page, html=True)


async def _entity(tx: Tx, request: PageRequest, row: ReleaseRow) -> Release:
    return await entities.load_release(request.services, tx, request.actor, row, html=True)


def _notes(release: Release) -> Html:
    return Html(release.description_html or "")
