"""Feeds of contributions: to a project, to a group, to the projects of the signed-in user."""

from mujina.activity.events import filters
from mujina.activity.events.page_view import read_feed
from mujina.activity.events.params import ListEvents
from mujina.kernel.db.selection import Selection
from mujina.kernel.pages import HtmlPage, PageRequest, view
from mujina.kernel.paging import Page
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
    """What happened in the projects of which the user is a member."""
    return await _activity(request, filters.of_memberships(request.actor, query), query, page)


async def _activity(request: PageRequest, chosen: Selection, query: ListEvents, page: Page) -> HtmlPage:
    async with request.searching() as tx:
        lines = await read_feed(tx, chosen, page)
    return HtmlPage("activity/activity.html", {"feed": lines, "query": query}, fragments=("activity",))
