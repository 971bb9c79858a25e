"""Lists of issues over one project or many, as pages and feeds show them."""

from collections.abc import Iterable

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.documents import decoded
from mujina.kernel.feeds import FeedEntry, permanent_id
from mujina.kernel.paging import Page, Paged
from mujina.planning.issues import documents, filters, search
from mujina.planning.issues.entities import Issue
from mujina.planning.issues.params import FilterIssues
from mujina.planning.issues.readable_projects import ReadableProjects


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
