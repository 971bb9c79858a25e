"""The search page."""

from typing import Any

from mujina.activity.search import filters, results, scopes
from mujina.activity.search.hits import shown
from mujina.activity.search.params import IN_REPOSITORIES, SearchEverything, SearchGroup, SearchOnPage, SearchProject
from mujina.activity.search.scopes import SearchLocation, find_location
from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page, Paged

SHORTEST = 3
"""Characters that a search needs, unless it is the number of an issue."""


@view("/search", anonymous=True)
async def show_search(request: PageRequest, query: SearchOnPage, page: Page) -> HtmlPage:
    search = (query.search or "").strip()
    async with request.reading() as tx:
        location = await find_location(tx, request.actor, query)
    scope = scopes.chosen(location, query.scope or "")
    in_rows = scope in scopes.LISTED_AS_ROWS
    values: dict[str, Any] = {"location": location, "scope": scope, "words": search, "in_rows": in_rows, "hits": []}
    if len(search) < SHORTEST and filters.number(search) is None:
        return HtmlPage("activity/search.html", {**values, "found": None})
    found = await _found(request, location, scope, search, page)
    if not in_rows:
        async with request.reading() as tx:
            values["hits"] = await shown(tx, scope, found, search, location.path)
    return HtmlPage("activity/search.html", {**values, "found": found})


async def _found(request: PageRequest, location: SearchLocation, scope: Any, words: str, page: Page) -> Paged[Any]:
    if location.project is not None and scope in IN_REPOSITORIES:
        return await results.in_repository(
            request.services, location.project, SearchProject(search=words, scope=scope), page
        )
    async with request.searching() as tx:
        if location.project is not None:
            return await results.in_project(
                tx, request.actor, location.project, SearchProject(search=words, scope=scope), page
            )
        if location.group is not None:
            asked = SearchGroup(search=words, scope=scope)
            return await results.in_group(tx, request.services, request.actor, location.group.id, asked, page)
        return await results.in_instance(
            tx, request.services, request.actor, SearchEverything(search=words, scope=scope), page
        )
