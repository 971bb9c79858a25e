"""Lists of issues over one project or many, as pages and feeds show them."""

from collections.abc import Iterable

import msgspec
from msgspec import structs

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.documents import decoded
from mujina.kernel.far_pages import KNOWN_TOTAL
from mujina.kernel.feeds import FeedEntry, permanent_id
from mujina.kernel.paging import Page, Paged
from mujina.planning.issue_lists.facts import IssueFacts, read_facts
from mujina.planning.issues import documents, filters, search
from mujina.planning.issues.entities import Issue
from mujina.planning.issues.params import FilterIssues
from mujina.planning.issues.readable_projects import ReadableProjects

PARTS = {"issues": ("issues", "states", "active")}
"""What a search as you type replaces: the list, the tabs with its counts, and the filters in use."""


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
        paged, counts = await _counted(tx, actor, projects, query, page)
    return IssueList(paged, counts, await read_facts(tx, actor, [issue.id for issue in paged.items]))


async def _counted(
    tx: Tx, actor: Actor, projects: ReadableProjects, query: FilterIssues, page: Page
) -> tuple[Paged[Issue], dict[str, int]]:
    """The page and its counts, of which one is the total."""
    if filters.narrowed(query):
        counts = await filters.count_by_state(
            tx, filters.chosen(projects, actor, structs.replace(query, state="all"))
        )  # fmt: skip
    else:
        counts = await projects.count_by_state(tx, actor)
    if projects.known_count is not None:  # it decides how the page is reached
        projects = structs.replace(projects, known_count=counts[query.state])
    chosen = filters.chosen(projects, actor, query)
    chosen.bound["total"] = counts[query.state]
    order = filters.SORTED_ORDERS.get(query.order or "") or filters.order(query)
    found = await documents.listed(tx, chosen, order, page, KNOWN_TOTAL)
    return page.of(decoded(found.items, Issue), found.total), counts


async def listed(tx: Tx, actor: Actor, projects: ReadableProjects, query: FilterIssues, page: Page) -> Paged[Issue]:
    """One page of the issues of these projects that match the query."""
    if query.search:
        found = await search.found(tx, actor, projects, query, query.search, page)
        return page.of(decoded(found.items, Issue), found.total)
    chosen = filters.chosen(projects, actor, query)
    sorted_by = filters.SORTED_ORDERS.get(query.order or "")
    count = None if sorted_by or filters.narrowed(query) else projects.count
    found = await documents.listed(tx, chosen, sorted_by or filters.order(query), page, count)
    return page.of(decoded(found.items, Issue), found.total)


def entries(issues: Iterable[Issue]) -> list[FeedEntry]:
    """The issues for feed readers."""
    return [
        FeedEntry(
            permanent_id("issue", issue.id, issue.created_at), issue.title, issue.web_url, issue.updated_at,
            issue.author.name, issue.description or "",
        )
        for issue in issues
    ]  # fmt: skip
