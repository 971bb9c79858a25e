"""Feeds of contributions: to a project, to a group, to the projects of the signed-in user."""

from mujina.activity.events import filters
from mujina.activity.events.filters import Feed
from mujina.activity.events.page_view import entries, read_feed
from mujina.activity.events.params import ListEvents
from mujina.kernel.html.feeds import FIRST, atom
from mujina.kernel.html.pages import HtmlPage, PageRequest, feed, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.projects.rules import ProjectRow


@view("/{project}/activity")
async def show_project_activity(request: PageRequest, project: ProjectRow, query: ListEvents, page: Page) -> HtmlPage:
    return await _activity(request, filters.of_project(request.actor, project, query), query, page)


@view("/groups/{group}/-/activity")
async def show_group_activity(request: PageRequest, group: GroupRow, query: ListEvents, page: Page) -> HtmlPage:
    return await _activity(request, filters.of_group(request.actor, group.id, query), query, page)


@view("/dashboard/activity")
async def show_own_activity(request: PageRequest, query: ListEvents, page: Page) -> HtmlPage:
    """Shows the events of the projects of which the user is a member."""
    return await _activity(request, filters.of_memberships(request.actor, query), query, page)


async def _activity(request: PageRequest, selection: Feed, query: ListEvents, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        lines = await read_feed(tx, selection, page)
    return HtmlPage("activity/activity.html", {"feed": lines, "query": query}, fragments=("activity",))


@feed("/{project}.atom")
async def show_project_feed(request: PageRequest, project: ProjectRow) -> HtmlPage:
    selection = filters.of_project(request.actor, project, ListEvents())
    return await _feed(request, f"Activity of {project.name}", request.here, selection)


@feed("/{group}.atom")
async def show_group_feed(request: PageRequest, group: GroupRow) -> HtmlPage:
    selection = filters.of_group(request.actor, group.id, ListEvents())
    return await _feed(request, f"Activity of {group.name}", f"/{group.full_path}", selection)


@feed("/dashboard/projects.atom")
async def show_own_feed(request: PageRequest) -> HtmlPage:
    selection = filters.of_memberships(request.actor, ListEvents())
    return await _feed(request, "Activity of your projects", "/dashboard/projects", selection)


async def _feed(request: PageRequest, title: str, path: str, selection: Feed) -> HtmlPage:
    async with request.reading() as tx:
        return atom(title, path, entries(await read_feed(tx, selection, FIRST)))
