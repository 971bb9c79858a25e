"""The pages of a project's wiki."""

import asyncio

import msgspec

from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.code.wikis import operations
from mujina.code.wikis.entities import WikiPage, to_wiki_page
from mujina.code.wikis.params import CreatePage, EditPage, ListPages
from mujina.code.wikis.slugs import slug_of
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import ADMIN_WIKI, PUSH_WIKI, READ_WIKI, find_project


@get("/projects/:id/wikis", anonymous=True)
async def list_wiki_pages(call: Call, id: Ref, query: ListPages, page: Page) -> Paged[WikiPage]:
    found = await asyncio.to_thread(operations.pages, await _wiki(call, id))
    return page.cut([to_wiki_page(each, content=bool(query.with_content)) for each in found])


@get("/projects/:id/wikis/:slug", anonymous=True)
async def show_wiki_page(call: Call, id: Ref, slug: Segment) -> WikiPage:
    return to_wiki_page(operations.find(await _wiki(call, id), slug))


@post("/projects/:id/wikis")
@with_repository_lock
async def create_wiki_page(call: Call, id: Ref, change: CreatePage) -> WikiPage:
    committer = await commits.committer_for(call.services, call.actor, id, to=PUSH_WIKI, wiki=True)
    return to_wiki_page(await operations.create(committer, change.title, change.content, change.format))


@put("/projects/:id/wikis/:slug")
@with_repository_lock
async def edit_wiki_page(call: Call, id: Ref, slug: Segment, change: EditPage) -> WikiPage:
    committer = await commits.committer_for(call.services, call.actor, id, to=PUSH_WIKI, wiki=True)
    before = operations.find(committer.code, slug)
    changes = change.sent_fields()
    if change.title is not UNSET:
        changes["slug"] = slug_of(changes.pop("title"))
    return to_wiki_page(await operations.edit(committer, before, msgspec.structs.replace(before, **changes)))


@delete("/projects/:id/wikis/:slug")
@with_repository_lock
async def delete_wiki_page(call: Call, id: Ref, slug: Segment) -> None:
    committer = await commits.committer_for(call.services, call.actor, id, to=ADMIN_WIKI, wiki=True)
    page = operations.find(committer.code, slug)
    newest = await operations.newest_version(committer.code, page)
    if newest is not None:
        call.unless_modified(commits.written_at(newest))
    await operations.remove(committer, page)


async def _wiki(call: Call, id: Ref) -> Repository:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_WIKI)
    return await operations.wiki_of(call.services, project)
