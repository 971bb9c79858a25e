"""How many issues match a query, by state."""

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import ReadableProjects, readable_in
from mujina.planning.issues.params import ListOwnIssues, QueryIssues
from mujina.planning.work_items.lists.plans import count_by_state
from mujina.workspaces.owners.rules import OwnerKind


class IssueCounts(msgspec.Struct):
    all: int
    closed: int
    opened: int


class CountsByState(msgspec.Struct):
    counts: IssueCounts


class IssueStatistics(msgspec.Struct):
    statistics: CountsByState


@get("/issues_statistics")
async def show_issue_statistics(call: Call, query: ListOwnIssues) -> IssueStatistics:
    """Count the issues of all projects that you may see."""
    async with call.searching() as tx:
        projects = await ReadableProjects.everywhere(tx, call.actor, "all")
        return await _counted(tx, call.actor, projects, query)


@get(group="/groups/:id/issues_statistics", project="/projects/:id/issues_statistics")
async def show_owner_issue_statistics(call: Call, kind: OwnerKind, id: Ref, query: QueryIssues) -> IssueStatistics:
    """Count the issues of a {owner}."""
    async with call.searching() as tx:
        _, projects = await readable_in(tx, call.actor, kind, id)
        return await _counted(tx, call.actor, projects, query)


async def _counted(tx: Tx, actor: Actor, projects: ReadableProjects, query: QueryIssues) -> IssueStatistics:
    """The state of the query counts for nothing: there is a number for each."""
    counts = await count_by_state(tx, actor, projects, query)
    return IssueStatistics(CountsByState(IssueCounts(counts["all"], counts["closed"], counts["opened"])))
