"""The wiki of a project: its pages, their history, and the forms that change them."""

import asyncio
from urllib.parse import quote

import msgspec

from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository
from mujina.code.files.downloads import raw_file
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.repositories.browsing import authors_of
from mujina.code.wikis import operations
from mujina.code.wikis.operations import PageInfo
from mujina.code.wikis.page_tree import tree_of
from mujina.code.wikis.params import SavePage, ShowVersion
from mujina.code.wikis.slugs import BRANCH, address_of, slug_in, slug_of, title_of
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.kernel.urls import instance_address
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.projects.rules import ADMIN_WIKI, PUSH_WIKI, READ_WIKI, ProjectRow

MAX_LISTED = 100
"""Pages in the side column; all of them have a page of their own."""
MAX_BODY = 4 * 1024 * 1024
"""A form with a page of a megabyte, as browsers encode it."""
OUTDATED = "Someone changed this page while you were editing. Save again to replace their version."
_RIGHTS = {"push": PUSH_WIKI, "delete": ADMIN_WIKI}


@view("/{project}/wikis", to=READ_WIKI)
async def open_wiki(request: PageRequest) -> Redirect:
    return Redirect(f"{_root(request)}/home")


@view("/{project}/wikis/pages", to=READ_WIKI, rights=_RIGHTS)
async def list_wiki(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    slugs = await _slugs(await operations.wiki_of(request.services, project))
    rows = page.cut([(address_of(slug), title_of(slug)) for slug in slugs])
    address = f"{instance_address.get().base}/{project.full_path}.wiki.git"
    return HtmlPage("code/wiki_pages.html", {"root": _root(request), "paged": rows, "address": address})


@view("/{project}/wikis/new", to=PUSH_WIKI)
async def show_new_wiki_page(request: PageRequest) -> HtmlPage:
    title = request.query.get("title")
    context = {"page": None, "title": title if isinstance(title, str) else "", "last": ""}
    return HtmlPage("code/wiki_form.html", {**context, "root": _root(request)})


@form("/{project}/wikis", to=PUSH_WIKI, again="/{project}/wikis/new", max_body=MAX_BODY)
@with_repository_lock
async def create_page(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(SavePage, "wiki")
    committer = await commits.committer_for(
        request.services, request.actor, Ref.of(project.id), to=PUSH_WIKI, wiki=True
    )
    page = await operations.create(committer, change.title, _text(change), change.format, change.message.strip())
    return Redirect(f"{_root(request)}/{quote(address_of(page.slug))}", flash="Page created.")


@view("/{project}/wikis/{slug:path}", to=READ_WIKI, rights=_RIGHTS)
async def show_page(
    request: PageRequest, project: ProjectRow, slug: str, query: ShowVersion
) -> HtmlPage | Redirect | Response:
    code = await operations.wiki_of(request.services, project)
    slugs, slug = await _slugs(code), slug_in(slug)
    page = operations.page_of(code, slug, query.version_id or BRANCH)
    if page is None:
        return _instead(request, code, slug, slugs)
    newest, _ = await operations.versions(code, page, offset=0, limit=1)
    async with request.reading() as tx:
        authors = await authors_of(tx, newest)
        [html] = await markdown.show(request.services, tx, request.actor, [_source(project, page)])
    context = {"page": page, "html": html, "newest": newest, "authors": authors, "version": query.version_id or ""}
    return HtmlPage(
        "code/wiki_page.html",
        {**context, "root": _root(request), "tree": tree_of(slugs[:MAX_LISTED]), "total": len(slugs)},
    )


@view("/{project}/wikis/{slug:path}/history", to=READ_WIKI, rights=_RIGHTS)
async def show_page_history(request: PageRequest, project: ProjectRow, slug: str, page: Page) -> HtmlPage:
    code = await operations.wiki_of(request.services, project)
    shown = operations.find(code, slug_in(slug))
    versions, total = await operations.versions(code, shown, **page.bound)
    async with request.reading() as tx:
        authors = await authors_of(tx, versions)
    context = {"page": shown, "versions": versions, "authors": authors, "paged": page.of(versions, total)}
    return HtmlPage("code/wiki_history.html", {**context, "root": _root(request)})


@view("/{project}/wikis/{slug:path}/edit", to=PUSH_WIKI, rights=_RIGHTS)
async def show_edit_wiki_page(request: PageRequest, project: ProjectRow, slug: str) -> HtmlPage:
    code = await operations.wiki_of(request.services, project)
    page = operations.find(code, slug_in(slug))
    context = {"page": page, "title": page.title, "last": await _last(code, page)}
    return HtmlPage("code/wiki_form.html", {**context, "root": _root(request)})


@form("/{project}/wikis/{slug:path}", to=PUSH_WIKI, again="/{project}/wikis/{slug:path}/edit", max_body=MAX_BODY)
@with_repository_lock
async def save_page(request: PageRequest, project: ProjectRow, slug: str) -> Redirect:
    change = request.read_form(SavePage, "wiki")
    committer = await commits.committer_for(
        request.services, request.actor, Ref.of(project.id), to=PUSH_WIKI, wiki=True
    )
    before = operations.find(committer.code, slug_in(slug))
    if change.last_commit_id and change.last_commit_id != await _last(committer.code, before):
        raise errors.conflict(OUTDATED)
    after = msgspec.structs.replace(before, slug=slug_of(change.title), content=_text(change), format=change.format)
    page = await operations.edit(committer, before, after, change.message.strip())
    return Redirect(f"{_root(request)}/{quote(address_of(page.slug))}", flash="Changes saved.")


@form("/{project}/wikis/{slug:path}/delete", to=ADMIN_WIKI, again="/{project}/wikis/{slug:path}")
@with_repository_lock
async def delete_page(request: PageRequest, project: ProjectRow, slug: str) -> Redirect:
    committer = await commits.committer_for(
        request.services, request.actor, Ref.of(project.id), to=ADMIN_WIKI, wiki=True
    )
    await operations.remove(committer, operations.find(committer.code, slug_in(slug)))
    return Redirect(f"{_root(request)}/pages", flash="Page deleted.")


def _root(request: PageRequest) -> str:
    return f"{request.here}/wikis"


async def _slugs(code: Repository) -> list[str]:
    return await asyncio.to_thread(operations.slugs, code)


async def _last(code: Repository, page: PageInfo) -> str:
    """The newest commit that changed the page."""
    newest = await operations.newest_version(code, page)
    return newest.id if newest else ""


def _text(change: SavePage) -> str:
    return change.content.replace("\r\n", "\n")


def _source(project: ProjectRow, page: PageInfo) -> MarkdownText:
    place = TextPlace(
        base=instance_address.get().base, project=project.full_path, folder=page.slug.rpartition("/")[0], wiki=True,
        file=True, plain=page.format != "markdown",
    )  # fmt: skip
    return MarkdownText(page.content, place)


def _instead(request: PageRequest, code: Repository, slug: str, slugs: list[str]) -> HtmlPage | Redirect | Response:
    """Shows that no page exists at this address."""
    if (file := operations.attached_file(code, slug)) is not None:
        return raw_file(code, file)
    if (same := next((each for each in slugs if each.casefold() == slug.casefold()), slug)) != slug:
        return Redirect(f"{_root(request)}/{quote(address_of(same))}")
    if slug == "home" and slugs:
        return Redirect(f"{_root(request)}/pages")
    if slug != "home" and not request.rights["push"]:
        raise errors.not_found("Wiki Page")
    context = {"title": title_of(slug), "root": _root(request), "empty": not slugs}
    return HtmlPage("code/wiki_missing.html", context, status=200 if slug == "home" else 404)
