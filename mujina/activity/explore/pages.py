"""Pages that everyone may open: projects, groups and snippets that need no membership."""

from mujina.activity.dashboard import filters
from mujina.activity.dashboard.params import FilterByWords, FilterExploredProjects
from mujina.code.snippets import entities as snippets
from mujina.code.snippets import filters as snippet_filters
from mujina.kernel.db.sql.selection import Order
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.groups import entities as groups
from mujina.workspaces.groups import filters as group_filters
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.views import cards
from mujina.workspaces.topics import entities as topics
from mujina.workspaces.topics.params import ListTopics
from mujina.workspaces.topics.rules import find_named


@view("/explore", anonymous=True)
@view("/explore/projects", anonymous=True)
async def explore_projects(request: PageRequest, query: FilterExploredProjects, page: Page) -> HtmlPage:
    return await _projects(request, query, project_filters.order(filters.projects(query)), page, query.topic or "")


@view("/projects", anonymous=True)
@view("/groups", anonymous=True)
async def lead_to_list(request: PageRequest) -> Redirect:
    """Leads users to their own projects or groups, and visitors to those of everyone."""
    return Redirect(f"{'/dashboard' if request.session else '/explore'}{request.http.path}")


@view("/explore/projects/starred", anonymous=True)
async def explore_starred_projects(request: PageRequest, query: FilterByWords, page: Page) -> HtmlPage:
    """Shows the projects with the most stars first."""
    return await _projects(request, query, project_filters.MOST_STARS, page)


@view("/explore/projects/topics", anonymous=True)
async def explore_topics(request: PageRequest, query: FilterByWords, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        found = await topics.load_page(tx, request.actor, ListTopics(search=query.search), page)
    return HtmlPage("activity/topics.html", {"topics": found}, fragments=("topics",))


async def _projects(
    request: PageRequest, query: FilterExploredProjects | FilterByWords, order: Order, page: Page, topic: str = ""
) -> HtmlPage:
    async with request.listing(wide=query.search) as tx:
        projects = await cards.visible_to_everyone(tx, request.actor, order, page, query.search or "", topic)
        about = await find_named(tx, request.actor, topic) if topic else None
    starred, shown = order == project_filters.MOST_STARS, topics.to_topic(about) if about else None
    context = {"projects": projects, "starred": starred, "topic": topic, "about": shown}
    return HtmlPage("activity/explore_projects.html", context, fragments=("projects",))


@view("/explore/groups", anonymous=True)
async def explore_groups(request: PageRequest, query: FilterByWords, page: Page) -> HtmlPage:
    asked = ListGroups(all_available=True, search=query.search)
    async with request.listing(wide=query.search) as tx:
        selection = group_filters.groups(request.actor, asked)
        found = await groups.load_page(tx, selection, group_filters.order(asked), page)
    return HtmlPage("activity/groups.html", {"groups": found, "own": False}, fragments=("groups",))


@view("/explore/snippets", anonymous=True)
async def explore_snippets(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        found = await snippets.load_page(tx, snippet_filters.visible_to_everyone(request.actor), page)
    return HtmlPage("activity/snippets.html", {"snippets": found, "own": False}, fragments=("snippets",))
