"""Lists of issues over one project or many, as pages and feeds show them."""

from collections.abc import Iterable

import msgspec

from mujina.kernel.db.documents import decoded
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.feeds import FeedEntry, permanent_id
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issue_lists.facts import IssueFacts, facts, facts_of, read_facts
from mujina.planning.issues.filters import LISTED_ISSUES, ReadableProjects, readable_in_project
from mujina.planning.issues.params import FilterIssues
from mujina.planning.issues.views.issue import Issue
from mujina.planning.work_items.choices import ListWords, of_list
from mujina.planning.work_items.lists import plans
from mujina.workspaces.owners.rules import project_owner
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
    counts = await plans.count_by_state(tx, actor, projects, query)
    paged = await load_page(tx, actor, projects, query, page, counts[query.state])
    return IssueList(paged, counts, await read_facts(tx, actor, [issue.id for issue in paged.items]))


async def read_project_list(
    tx: Tx, actor: Actor, project: ProjectRow, query: FilterIssues, page: Page
) -> tuple[IssueList, ListWords]:
    """Reads the list of one project and its surroundings with two statements: one for the page, one for the rest."""
    projects = readable_in_project(project)
    counts = await plans.count_by_state(tx, actor, projects, query) if LISTED_ISSUES.has_filters(query) else None
    paged = await load_page(tx, actor, projects, query, page, None if counts is None else counts[query.state])
    further = facts(tx.product) if counts else f"{facts(tx.product)} UNION ALL {projects.counts_as_rows}"
    owner = project_owner(project)
    words = await of_list(
        tx, actor, owner, [title for issue in paged.items for title in issue.labels], further,
        ids=[issue.id for issue in paged.items], **projects.counted,
    )  # fmt: skip
    counts = counts or ReadableProjects.sum_states(
        (state, int(n)) for kind, state, n, _ in words.rows if kind == "state"
    )
    return IssueList(paged, counts, facts_of(words.rows)), words


async def load_page(
    tx: Tx, actor: Actor, projects: ReadableProjects, query: FilterIssues, page: Page, total: int | None = None
) -> Paged[Issue]:
    """One page of the issues of these projects that match the query."""
    found = await plans.load_page(tx, actor, projects, query, page, total)
    return found.with_items(decoded(found.items, Issue))


def entries(issues: Iterable[Issue]) -> list[FeedEntry]:
    """The issues for feed readers."""
    return [
        FeedEntry(
            id=permanent_id("issue", issue.id, issue.created_at), title=issue.title, address=issue.web_url,
            updated_at=issue.updated_at, author=issue.author.name, text=issue.description or "",
        )
        for issue in issues
    ]  # fmt: skip
