"""The pages of a project's wiki."""

import asyncio

import msgspec

from mujina.code.commits.operations import Signer, signers
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.wikis import operations
from mujina.code.wikis.entities import shown
from mujina.code.wikis.operations import Wiki
from mujina.code.wikis.params import CreatePage, EditPage, ListPages
from mujina.code.wikis.slugs import slug_of
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import UNSET, Ref
from mujina.kernel.routing import Segment, delete, get, post, put
from mujina.kernel.rules import Rule
from mujina.workspaces.projects.rules import ADMIN_WIKI, PUSH_WIKI, READ_WIKI, find_project


@get("/projects/:id/wikis", anonymous=True)
async def list_wiki_pages(call: Call, id: Ref, query: ListPages, page: Page) -> Json:
    wiki, _ = await _wiki(call, id, READ_WIKI)
    found = await asyncio.to_thread(operations.pages, wiki)
    return page.cut([shown(each, content=bool(query.with_content)) for each in found])


@get("/projects/:id/wikis/:slug", anonymous=True)
async def show_wiki_page(call: Call, id: Ref, slug: Segment) -> Json:
    wiki, _ = await _wiki(call, id, READ_WIKI)
    return shown(operations.find(wiki, slug))


@post("/projects/:id/wikis")
@with_repository_lock
async def create_wiki_page(call: Call, id: Ref, change: CreatePage) -> Json:
    wiki, signer = await _wiki(call, id, PUSH_WIKI)
    return shown(await operations.create(wiki, signer, change.title, change.content, change.format))


@put("/projects/:id/wikis/:slug")
@with_repository_lock
async def edit_wiki_page(call: Call, id: Ref, slug: Segment, change: EditPage) -> Json:
    wiki, signer = await _wiki(call, id, PUSH_WIKI)
    before = operations.find(wiki, slug)
    given = change.given()
    if change.title is not UNSET:
        given["slug"] = slug_of(given.pop("title"))
    return shown(await operations.edit(wiki, signer, before, msgspec.structs.replace(before, **given)))


@delete("/projects/:id/wikis/:slug")
@with_repository_lock
async def delete_wiki_page(call: Call, id: Ref, slug: Segment) -> Json:
    wiki, signer = await _wiki(call, id, ADMIN_WIKI)
    await operations.remove(wiki, signer, operations.find(wiki, slug))


async def _wiki(call: Call, id: Ref, to: Rule) -> tuple[Wiki, Signer]:
    """The wiki the caller may do this with, and who they are to it."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=to)
        signer = Signer("", "") if call.actor.anonymous else (await signers(tx, call.actor))[1]
    return await operations.wiki_of(call.services, call.actor, project), signer
