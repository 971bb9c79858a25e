"""The issues of a group and of its subgroups, those of the reader in all projects, and feeds of issues."""

from typing import Any

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.feeds import FIRST, atom
from mujina.kernel.html.pages import HtmlPage, PageRequest, feed, view
from mujina.kernel.http.paging import Page
from mujina.planning.issue_lists import entities
from mujina.planning.issues import filters
from mujina.planning.issues.filters import ReadableProjects, readable_in_project
from mujina.planning.issues.params import FilterIssues, Scope
from mujina.planning.issues.rules import issues_enabled
from mujina.planning.labels.entities import chips_in
from mujina.planning.work_items import choices
from mujina.planning.work_items.choices import FilterTexts
from mujina.planning.work_items.page_scopes import scope_of
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow


@view("/groups/{group}/-/issues")
async def show_group_issues(request: PageRequest, group: GroupRow, query: FilterIssues, page: Page) -> HtmlPage:
    async with request.listing(wide=query.filtered) as tx:
        projects = await ReadableProjects.in_group(tx, request.actor, group.id, "all")
        context = {
            "choices": await choices.read_choices(tx, request.actor, scope_of(request).owner),
            "here": f"{request.here}/issues",
            "scopes": (),
        }
        return await _list(tx, request, projects, query, page, context)


class FilterOwnIssues(FilterIssues):
    """Across all projects, the default is the issues that the reader is assigned to."""

    scope: Scope = "assigned-to-me"


_SCOPES = (("assigned-to-me", "Assigned to you"), ("created-by-me", "Created by you"))


@view("/dashboard/issues")
async def show_own_issues(request: PageRequest, query: FilterOwnIssues, page: Page) -> HtmlPage:
    async with request.listing(wide=query.filtered) as tx:
        projects = await ReadableProjects.everywhere(tx, request.actor, "all")
        context = {"choices": choices.NONE, "here": "/dashboard/issues", "scopes": _SCOPES}
        return await _list(tx, request, projects, query, page, context)


async def _list(
    tx: Tx, request: PageRequest, projects: ReadableProjects, query: FilterIssues, page: Page, context: dict[str, Any]
) -> HtmlPage:
    query = filters.named(query)
    listed = await entities.read_list(tx, request.actor, projects, query, page)
    issues = listed.paged.items
    context = {
        **context, "listed": listed, "query": query, "texts": FilterTexts.of(request.tree), "wide": True,
        "weights": has_feature("issue_weights"), "today": clock.today(),
        "labels": await chips_in(
            tx, sorted({issue.project_id for issue in issues}), [title for issue in issues for title in issue.labels]
        ),
    }  # fmt: skip
    return HtmlPage("planning/issues.html", context, parts=entities.PARTS)


@feed("/{project}/issues.atom", to=READ_PROJECT & issues_enabled)
async def show_project_issue_feed(request: PageRequest, project: ProjectRow, query: FilterIssues) -> HtmlPage:
    projects = readable_in_project(project)
    return await _feed(request, f"Issues of {project.name}", f"{request.here}/issues", projects, query)


@feed("/groups/{group}/-/issues.atom")
async def show_group_issue_feed(request: PageRequest, group: GroupRow, query: FilterIssues) -> HtmlPage:
    async with request.searching() as tx:
        projects = await ReadableProjects.in_group(tx, request.actor, group.id, query.state)
    return await _feed(request, f"Issues of {group.name}", f"{request.here}/issues", projects, query)


@feed("/dashboard/issues.atom")
async def show_assigned_issue_feed(request: PageRequest) -> HtmlPage:
    """The open issues that the user is assigned to."""
    query = FilterIssues(scope="assigned-to-me")
    async with request.searching() as tx:
        projects = await ReadableProjects.everywhere(tx, request.actor, query.state)
    return await _feed(request, "Issues assigned to you", "/dashboard/issues", projects, query)


async def _feed(
    request: PageRequest, title: str, path: str, projects: ReadableProjects, query: FilterIssues
) -> HtmlPage:
    async with request.searching() as tx:
        issues = await entities.load_page(tx, request.actor, projects, filters.named(query), FIRST)
    return atom(title, path, entities.entries(issues.items))
