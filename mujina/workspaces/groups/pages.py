"""The home page of a group."""

from mujina.kernel.pages import HtmlPage, PageRequest, view
from mujina.kernel.paging import Page
from mujina.workspaces.groups import entities, filters
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.projects import entities as projects
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.params import ListGroupProjects


@view("/{group}")
async def show_group(request: PageRequest, group: GroupRow, page: Page) -> HtmlPage:
    query, below = ListGroupProjects(), ListGroups()
    async with request.reading() as tx:
        subgroups = await entities.listed(
            tx, filters.subgroups(request.actor, group, below), filters.order(below), Page(1, 100, {})
        )
        chosen = filters.all_projects(request.actor, group)
        project_filters.narrow(chosen, request.actor, query)
        listed = await projects.listed(
            tx,
            request.services.vault,
            request.actor,
            chosen,
            project_filters.order(query),
            page,
            simple=False,
            permissions=False,
        )
        paged = page.of(listed, await chosen.total(tx))
    return HtmlPage("workspaces/group.html", {"group": group, "subgroups": subgroups, "projects": paged})
