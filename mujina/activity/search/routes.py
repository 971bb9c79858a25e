"""Search over everything, a group or a project; what is found is what the lists of the same caller would show."""

from typing import LiteralString

from mujina.activity.search import filters, operations
from mujina.activity.search.entities import shown_blob
from mujina.activity.search.params import IN_REPOSITORIES, SearchEverything, SearchGroup, SearchProject
from mujina.code.commits.entities import shown_commit
from mujina.code.commits.operations import code_of
from mujina.code.snippets import entities as snippet_entities
from mujina.code.wikis.operations import wiki_of
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.kernel.routing import get
from mujina.planning.issues import entities as issue_entities
from mujina.planning.issues import searching
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.reach import Reach, below, everywhere, inside
from mujina.planning.milestones import entities as milestone_entities
from mujina.planning.notes import entities as note_entities
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects import entities as project_entities
from mujina.workspaces.projects.rules import READ_CODE, READ_WIKI, find_project

NEWEST_ISSUES: LiteralString = "i.created_at DESC, i.id DESC"


@get("/search")
async def search_everything(call: Call, query: SearchEverything, page: Page) -> Json:
    _check(query.scope)
    async with call.searching() as tx:
        match query.scope:
            case "projects":
                return await _projects(tx, call, query.search, None, page)
            case "issues":
                return await _issues(tx, call, await everywhere(tx, call.actor, "all"), query.search, page)
            case "notes":
                return await _notes(tx, call, await everywhere(tx, call.actor, "all"), query.search, page)
            case "snippet_titles":
                return await snippet_entities.listed(tx, filters.snippets_titled(call.actor, query.search), page)
            case "snippet_blobs":
                return await snippet_entities.listed(tx, filters.snippets_saying(call.actor, query.search), page)
            case _:
                chosen = filters.milestones(call.actor, query.search)
                return page.of(await milestone_entities.listed(tx, chosen, page), await chosen.total(tx))


@get("/groups/:id/-/search", "/groups/:id/search")
async def search_group(call: Call, id: Ref, query: SearchGroup, page: Page) -> Json:
    _check(query.scope)
    async with call.searching() as tx:
        group = await find_group(tx, call.actor, id)
        match query.scope:
            case "projects":
                return await _projects(tx, call, query.search, group.id, page)
            case "issues":
                return await _issues(tx, call, await below(tx, call.actor, group.id, "all"), query.search, page)
            case "notes":
                return await _notes(tx, call, await below(tx, call.actor, group.id, "all"), query.search, page)
            case _:
                chosen = filters.milestones(call.actor, query.search, group_id=group.id)
                return page.of(await milestone_entities.listed(tx, chosen, page), await chosen.total(tx))


@get("/projects/:id/-/search", "/projects/:id/search")
async def search_project(call: Call, id: Ref, query: SearchProject, page: Page) -> Json:
    if query.scope in IN_REPOSITORIES:
        return await _inside_repository(call, id, query, page)
    async with call.searching() as tx:
        project = await find_project(tx, call.actor, id)
        match query.scope:
            case "issues":
                return await _issues(tx, call, inside(call.actor, project), query.search, page)
            case "notes":
                return await _notes(tx, call, inside(call.actor, project), query.search, page)
            case _:
                chosen = filters.milestones(call.actor, query.search, project_id=project.id)
                return page.of(await milestone_entities.listed(tx, chosen, page), await chosen.total(tx))


def _check(scope: str) -> None:
    if scope in IN_REPOSITORIES:
        # Compat: clients know this refusal by the name of a search engine that is not used here.
        raise errors.invalid({"error": "Scope not supported without Elasticsearch!"})


async def _projects(tx: Tx, call: Call, words: str, group_id: int | None, page: Page) -> Paged:
    chosen = filters.projects(call.actor, words, group_id)
    found = await project_entities.listed(
        tx, call.services.vault, call.actor, chosen, "p.id DESC", page, simple=False, statistics=False
    )
    return page.of(found, await chosen.total(tx))


async def _issues(tx: Tx, call: Call, reach: Reach, words: str, page: Page) -> Paged:
    """Issues by title or description, or by their number written as `#12`."""
    if (iid := filters.number(words)) is not None:
        chosen = reach.issues(call.actor)
        chosen.only("i.iid = :iid", iid=iid)
        return await issue_entities.found(tx, chosen, NEWEST_ISSUES, page)
    return await searching.found(tx, call.actor, reach, ListIssues(), words, page)


async def _notes(tx: Tx, call: Call, reach: Reach, words: str, page: Page) -> Paged:
    chosen = await filters.notes(tx, call.actor, reach, words)
    return page.of(await note_entities.found(tx, chosen, page), await chosen.total(tx))


async def _inside_repository(call: Call, id: Ref, query: SearchProject, page: Page) -> Paged:
    """Passages of the code or of the wiki, or commits: for those who may read them there."""
    wiki = query.scope == "wiki_blobs"
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_WIKI if wiki else READ_CODE)
    code = await wiki_of(call.services, project) if wiki else await code_of(call.services, project)
    if query.scope == "commits":
        commits, total = await operations.told_commits(code, query.search, **page.bound)
        return page.of([shown_commit(commit, project.id) for commit in commits], total)
    found = page.cut(await operations.passages(code, query.search))
    return page.of([shown_blob(passage, code.default_branch or "", project.id) for passage in found.items], found.total)
