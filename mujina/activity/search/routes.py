"""Search in the instance, a group or a project; a caller finds what lists would show them."""

from mujina.activity.search import results
from mujina.activity.search.params import IN_REPOSITORIES, SearchEverything, SearchGroup, SearchProject
from mujina.activity.search.results import GroupResult, InstanceResult, PlanningResult, RepositoryResult
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import READ_CODE, READ_WIKI, find_project


@get("/search")
async def search_everything(call: Call, query: SearchEverything, page: Page) -> InstanceResult:
    """Search everything that you may see."""
    _check(query.scope)
    async with call.searching() as tx:
        return await results.in_instance(tx, call.services, call.actor, query, page)


@get("/groups/:id/-/search", "/groups/:id/search")
async def search_group(call: Call, id: Ref, query: SearchGroup, page: Page) -> GroupResult:
    _check(query.scope)
    async with call.searching() as tx:
        group = await find_group(tx, call.actor, id)
        return await results.in_group(tx, call.services, call.actor, group.id, query, page)


@get("/projects/:id/-/search", "/projects/:id/search")
async def search_project(call: Call, id: Ref, query: SearchProject, page: Page) -> PlanningResult | RepositoryResult:
    if query.scope in IN_REPOSITORIES:
        async with call.reading() as tx:
            rule = READ_WIKI if query.scope == "wiki_blobs" else READ_CODE
            project = await find_project(tx, call.actor, id, to=rule)
        return await results.in_repository(call.services, project, query, page)
    async with call.searching() as tx:
        return await results.in_project(tx, call.actor, await find_project(tx, call.actor, id), query, page)


def _check(scope: str) -> None:
    if scope in IN_REPOSITORIES:
        # Compat: clients expect this message, although no such search engine is used.
        raise errors.invalid({"error": "Scope not supported without Elasticsearch!"})
