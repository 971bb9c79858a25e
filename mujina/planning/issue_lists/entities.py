"""Lists of issues over one project or many, as pages and feeds show them."""

from collections.abc import Iterable

import msgspec
from msgspec import structs

from mujina.kernel.db.documents import decoded
from mujina.kernel.db.sql import Sql
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.feeds import FeedEntry, permanent_id
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import known_total
from mujina.kernel.owners import Owner
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issue_lists.facts import IssueFacts, facts, facts_of, read_facts
from mujina.planning.issues import documents, filters, search
from mujina.planning.issues.choices import ListWords, of_list
from mujina.planning.issues.params import FilterIssues
from mujina.planning.issues.readable_projects import ReadableProjects, readable_in_project
from mujina.planning.issues.views import Issue
from mujina.workspaces.projects.rules import ProjectRow

PARTS = {"issues": ("issues", "states", "active")}
"""The blocks that a search as you type replaces: the list, the tabs with its counts, and the filters in use."""


class IssueList(msgspec.Struct, frozen=True):
    """One page of a list, what its rows say besides, and how many issues the same filters find in each state."""

    paged: Paged[Issue]
    counts: dict[str, int]
    facts: dict[int, IssueFacts]


async def read_list(tx: Tx, actor: Actor, projects: ReadableProjects, query: FilterIssues, page: Page) -> IssueList:
    """The page and its counts; `projects` have issues of any state."""
    if query.search:
        paged = await listed(tx, actor, projects, query, page)
        counts = await search.count_by_state(tx, actor, projects, query, query.search)
    else:
        counts = await _counts(tx, actor, projects, query)
        paged = await _page(tx, actor, projects, query, page, counts)
    return IssueList(paged, counts, await read_facts(tx, actor, [issue.id for issue in paged.items]))


async def read_project_list(
    tx: Tx, actor: Actor, project: ProjectRow, query: FilterIssues, page: Page
) -> tuple[IssueList, ListWords]:
    """Reads the list of one project and its surroundings with two statements: one for the page, one for the rest."""
    projects, counts = readable_in_project(project), None
    if query.search:
        paged = await listed(tx, actor, projects, query, page)
        counts = await search.count_by_state(tx, actor, projects, query, query.search)
    elif filters.has_filters(query):
        counts = await _counts(tx, actor, projects, query)
        paged = await _page(tx, actor, projects, query, page, counts)
    else:
        paged = await _page(tx, actor, projects, query, page, None)
    further = facts(tx.product) if counts else f"{facts(tx.product)} UNION ALL {projects.counts_as_rows}"
    owner = Owner("project", project.id, project.namespace_id)
    words = await of_list(
        tx, actor, owner, [title for issue in paged.items for title in issue.labels], further,
        ids=[issue.id for issue in paged.items], **projects.counted,
    )  # fmt: skip
    counts = counts or ReadableProjects.sum_states(
        (state, int(n)) for kind, state, n, _ in words.rows if kind == "state"
    )
    return IssueList(paged, counts, facts_of(words.rows)), words


async def _counts(tx: Tx, actor: Actor, projects: ReadableProjects, query: FilterIssues) -> dict[str, int]:
    if not filters.has_filters(query):
        return await projects.count_by_state(tx, actor)
    if (
        projects.known_count is not None
    ):  # nothing is sorted: the index of projects may be used, however many issues there are
        projects = structs.replace(projects, known_count=0)
    return await filters.count_by_state(tx, filters.select_issues(projects, actor, structs.replace(query, state="all")))


async def _page(
    tx: Tx,
    actor: Actor,
    projects: ReadableProjects,
    query: FilterIssues,
    page: Page,
    counts: dict[str, int] | None,
) -> Paged[Issue]:
    """The page; one of the counts is the total. Without counts, kept ones are summed."""
    if counts is not None and projects.known_count is not None:  # it decides how the page is reached
        projects = structs.replace(projects, known_count=counts[query.state])
    chosen = filters.select_issues(projects, actor, query)
    count = Sql(projects.count) if counts is None else known_total(counts[query.state])
    order = filters.SORTED_ORDERS.get(query.order or "") or filters.order(query)
    found = await documents.listed(tx, chosen, order, page, count)
    return page.of(decoded(found.items, Issue), found.total)


async def listed(tx: Tx, actor: Actor, projects: ReadableProjects, query: FilterIssues, page: Page) -> Paged[Issue]:
    """One page of the issues of these projects that match the query."""
    if query.search:
        found = await search.found(tx, actor, projects, query, query.search, page)
        return page.of(decoded(found.items, Issue), found.total)
    chosen = filters.select_issues(projects, actor, query)
    sorted_by = filters.SORTED_ORDERS.get(query.order or "")
    count = None if sorted_by or filters.has_filters(query) else Sql(projects.count)
    found = await documents.listed(tx, chosen, sorted_by or filters.order(query), page, count)
    return page.of(decoded(found.items, Issue), found.total)


def entries(issues: Iterable[Issue]) -> list[FeedEntry]:
    """The issues for feed readers."""
    return [
        FeedEntry(
            id=permanent_id("issue", issue.id, issue.created_at), title=issue.title, address=issue.web_url,
            updated_at=issue.updated_at, author=issue.author.name, text=issue.description or "",
        )
        for issue in issues
    ]  # fmt: skip
