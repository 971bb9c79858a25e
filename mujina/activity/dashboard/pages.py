"""The start page and the pages of one's own work."""

from mujina.activity.dashboard import filters, milestones
from mujina.activity.dashboard.entities import waiting_for
from mujina.activity.dashboard.params import FilterByWords, FilterOwnMilestones, FilterProjects
from mujina.code.snippets import entities as snippets
from mujina.code.snippets import filters as snippet_filters
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, view
from mujina.kernel.http.paging import Page
from mujina.kernel.urls import instance_address
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.milestones.page_view import count_issues
from mujina.workspaces.groups import entities as groups
from mujina.workspaces.groups import filters as group_filters
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.groups.rules import BELONG_TO_GROUP
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.views import cards

_START_PAGES = {
    "starred": "/dashboard/projects/starred",
    **{name: f"/dashboard/{name}" for name in ("activity", "groups", "todos", "issues", "merge_requests")},
}
"""Where users start who do not want to start with their projects."""


@view("/", anonymous=True)
async def show_start(request: PageRequest, query: FilterProjects, page: Page) -> HtmlPage | Redirect:
    """The dashboard, or the page that the user chose.

    An anonymous visitor sees public projects if there are any, and otherwise the sign-in page.
    """
    if request.session:
        chosen = _START_PAGES.get(request.session.start_page)
        return Redirect(chosen) if chosen else await show_dashboard(request, query, page)
    async with request.reading() as tx:
        home = (await read_settings(tx)).home_page_url
        if home and home.rstrip("/") not in ("", instance_address.get().base):
            return Redirect(home)
        visible = await project_filters.found(tx, request.actor, ListProjects()).total(tx)
    return Redirect("/explore" if visible else "/users/sign_in")


@view("/dashboard")
@view("/dashboard/projects")
async def show_dashboard(request: PageRequest, query: FilterProjects, page: Page) -> HtmlPage:
    return await _projects(request, filters.projects(query, membership=True), page)


@view("/dashboard/projects/starred")
async def show_starred_projects(request: PageRequest, query: FilterProjects, page: Page) -> HtmlPage:
    return await _projects(request, filters.projects(query, starred=True), page)


async def _projects(request: PageRequest, chosen: ListProjects, page: Page) -> HtmlPage:
    async with request.listing(wide=chosen.search) as tx:
        projects = await cards.found(tx, request.actor, chosen, page)
        waiting = await waiting_for(tx, request.actor)
    context = {"projects": projects, "waiting": waiting, "starred": bool(chosen.starred)}
    return HtmlPage("activity/dashboard.html", context, fragments=("projects",))


@view("/dashboard/groups")
async def show_own_groups(request: PageRequest, query: FilterByWords, page: Page) -> HtmlPage:
    asked = ListGroups(search=query.search)
    async with request.listing(wide=query.search) as tx:
        selection = group_filters.groups(request.actor, asked, rule=BELONG_TO_GROUP)
        found = await groups.load_page(tx, selection, group_filters.order(asked), page)
    return HtmlPage("activity/groups.html", {"groups": found, "own": True}, fragments=("groups",))


@view("/dashboard/milestones")
async def show_own_milestones(request: PageRequest, query: FilterOwnMilestones, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        found = await milestones.load_page(tx, milestones.of_memberships(request.actor, query.state), page)
        projects = await ReadableProjects.everywhere(tx, request.actor, "all")
        issues = await count_issues(tx, projects.rows(request.actor), [milestone.id for milestone in found.items])
    context = {"milestones": found, "issues": issues, "query": query, "today": clock.today()}
    return HtmlPage("activity/milestones.html", context, fragments=("milestones",))


@view("/dashboard/snippets")
async def show_own_snippets(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        found = await snippets.load_page(tx, snippet_filters.own(request.actor), page)
    return HtmlPage("activity/snippets.html", {"snippets": found, "own": True}, fragments=("snippets",))
