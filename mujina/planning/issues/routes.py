"""Issues of projects and groups."""

from mujina.accounts.users.entities import UserRef
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.origins import UserAgentDetail
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.lists.keyset import load_following
from mujina.kernel.lists.pages import load_documents
from mujina.kernel.permissions.actor import Actor
from mujina.planning.discussions import follow_ups
from mujina.planning.issues import creating, entities, operations
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.filters import FOLLOWED, LISTED_ISSUES, ReadableProjects, readable_in_project
from mujina.planning.issues.moving import cloning
from mujina.planning.issues.moving import operations as moves
from mujina.planning.issues.params import (
    CloneIssue,
    CreateIssue,
    Duration,
    EditIssue,
    ListOwnIssues,
    ListProjectIssues,
    MoveIssue,
    QueryIssues,
)
from mujina.planning.issues.rules import DELETE_ISSUE, UPDATE_ISSUE, find_issue, find_issue_address
from mujina.planning.issues.views.issue import Issue, LabeledIssue
from mujina.planning.noteables.addresses import find_noteable
from mujina.planning.subscriptions.operations import subscribe
from mujina.planning.subscriptions.participation import participating
from mujina.planning.time_tracking import operations as time_tracking
from mujina.planning.time_tracking.entities import TimeStats, time_stats
from mujina.planning.work_items.lists.plans import load_page, load_page_of_project, select
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import CREATE_ISSUE, find_project


@get("/issues")
async def list_issues(call: Call, query: ListOwnIssues, page: Page) -> Paged[Issue] | Paged[LabeledIssue]:
    """List the issues of all projects that you may see."""
    async with call.listing(wide=LISTED_ISSUES.has_filters(query)) as tx:
        projects = await ReadableProjects.everywhere(tx, call.actor, query.state)
        return await entities.in_view(tx, query, await load_page(tx, call.actor, projects, query, page))


@get("/issues/:id", admin=True)
async def show_issue_by_id(call: Call, id: int) -> Issue:
    """Show an issue of any project by the id that is unique in the instance."""
    async with call.reading() as tx:
        return await entities.load_visible(tx, call.actor, *await find_issue_address(tx, id))


@get("/groups/:id/issues")
async def list_group_issues(call: Call, id: Ref, query: QueryIssues, page: Page) -> Paged[Issue] | Paged[LabeledIssue]:
    async with call.listing(wide=LISTED_ISSUES.has_filters(query)) as tx:
        group = await find_group(tx, call.actor, id)
        projects = await ReadableProjects.in_group(tx, call.actor, group.id, query.state)
        return await entities.in_view(tx, query, await load_page(tx, call.actor, projects, query, page))


@get("/projects/:id/issues")
async def list_project_issues(
    call: Call, id: Ref, query: ListProjectIssues, page: Page
) -> Paged[Issue] | Paged[LabeledIssue]:
    async with call.listing(wide=query.search) as tx:
        if query.search:
            projects = readable_in_project(await find_project(tx, call.actor, id))
            found = await load_page(tx, call.actor, projects, query, page)
        elif query.pagination == "keyset" and query.order_by in FOLLOWED:
            found = await _load_following(tx, call.actor, id, query, page)
        else:
            found = await load_page_of_project(LISTED_ISSUES, tx, call.actor, id, query, page)
        return await entities.in_view(tx, query, found)


async def _load_following(tx: Tx, actor: Actor, id: Ref, query: ListProjectIssues, page: Page) -> Paged[Issue]:
    projects = readable_in_project(await find_project(tx, actor, id))
    order = LISTED_ISSUES.order(query)
    return await load_following(
        tx, select(projects, actor, query), order, page, query.cursor,
        lambda rows, page: load_documents(LISTED_ISSUES.documents, tx, rows, order, page),
    )  # fmt: skip


@get("/projects/:id/issues/:issue_iid")
async def show_issue(call: Call, id: Ref, issue_iid: int) -> Issue:
    async with call.reading() as tx:
        return await entities.load_visible(tx, call.actor, id, issue_iid)


@post("/projects/:id/issues")
async def create_issue(call: Call, id: Ref, change: CreateIssue) -> Issue:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=CREATE_ISSUE)
        if not project.issues_enabled:
            raise errors.forbidden()
        change = await follow_ups.with_description(tx, call.actor, project.id, change)
        issue = await creating.create(tx, call.actor, project, change, call.origin)
        return await entities.created(tx, call.actor, issue)


@put("/projects/:id/issues/:issue_iid")
async def edit_issue(call: Call, id: Ref, issue_iid: int, change: EditIssue) -> Issue:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=UPDATE_ISSUE)
        await operations.edit(tx, call.actor, issue, change)
        return await entities.load_one(tx, call.actor, issue.id)


@delete("/projects/:id/issues/:issue_iid")
async def delete_issue(call: Call, id: Ref, issue_iid: int) -> None:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=DELETE_ISSUE)
        call.unless_modified(issue.updated_at)
        await operations.remove(tx, call.actor, issue)


@post("/projects/:id/issues/:issue_iid/subscribe")
async def subscribe_to_issue(call: Call, id: Ref, issue_iid: int) -> Issue:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        await subscribe(tx, call.actor, "issue", issue.id, subscribed=True)
        return await entities.load_one(tx, call.actor, issue.id)


@post("/projects/:id/issues/:issue_iid/unsubscribe")
async def unsubscribe_from_issue(call: Call, id: Ref, issue_iid: int) -> Issue:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        await subscribe(tx, call.actor, "issue", issue.id, subscribed=False)
        return await entities.unsubscribed(tx, call.actor, issue.id)


@get("/projects/:id/issues/:issue_iid/participants")
async def list_issue_participants(call: Call, id: Ref, issue_iid: int, page: Page) -> Paged[UserRef]:
    async with call.reading() as tx:
        issue = await find_noteable(tx, call.actor, "issue", id, issue_iid)
        return await participating(tx, call.actor, issue, page)


@get("/projects/:id/issues/:issue_iid/user_agent_detail", admin=True)
async def show_issue_user_agent_detail(call: Call, id: Ref, issue_iid: int) -> UserAgentDetail:
    """Show from where an issue was created."""
    async with call.reading() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        return await entities.user_agent_detail(tx, issue.id)


@post("/projects/:id/issues/:issue_iid/move")
async def move_issue(call: Call, id: Ref, issue_iid: int, change: MoveIssue) -> Issue:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        target = await find_project(tx, call.actor, Ref.of(change.to_project_id))
        return await entities.load_one(tx, call.actor, await moves.move(tx, call.actor, issue, target))


@post("/projects/:id/issues/:issue_iid/clone")
async def clone_issue(call: Call, id: Ref, issue_iid: int, change: CloneIssue) -> Issue:
    """Create a new issue with the title, description, labels, assignees and dates of this one."""
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        target = await find_project(tx, call.actor, Ref.of(change.to_project_id))
        copy = await cloning.clone(tx, call.actor, issue, target, call.origin, notes=change.with_notes is True)
        return await entities.load_one(tx, call.actor, copy)


@post("/projects/:id/issues/:issue_iid/time_estimate", status=200)
async def estimate_issue_time(call: Call, id: Ref, issue_iid: int, change: Duration) -> TimeStats:
    seconds = time_tracking.parse_estimate(change.duration)
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=UPDATE_ISSUE)
        await time_tracking.estimate(tx, call.actor, ISSUES, issue, seconds)
        return await time_stats(tx, ISSUES, issue.id)


@post("/projects/:id/issues/:issue_iid/reset_time_estimate", status=200)
async def reset_issue_time_estimate(call: Call, id: Ref, issue_iid: int) -> TimeStats:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=UPDATE_ISSUE)
        await time_tracking.estimate(tx, call.actor, ISSUES, issue, 0)
        return await time_stats(tx, ISSUES, issue.id)


@post("/projects/:id/issues/:issue_iid/add_spent_time")
async def add_issue_spent_time(call: Call, id: Ref, issue_iid: int, change: Duration) -> TimeStats:
    """Add to the time spent on an issue."""
    seconds = time_tracking.parse_spent(change.duration)
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=UPDATE_ISSUE)
        await time_tracking.spend(tx, call.actor, ISSUES, issue, seconds)
        return await time_stats(tx, ISSUES, issue.id)


@post("/projects/:id/issues/:issue_iid/reset_spent_time", status=200)
async def reset_issue_spent_time(call: Call, id: Ref, issue_iid: int) -> TimeStats:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=UPDATE_ISSUE)
        await time_tracking.reset_spent(tx, call.actor, ISSUES, issue)
        return await time_stats(tx, ISSUES, issue.id)


@get("/projects/:id/issues/:issue_iid/time_stats")
async def show_issue_time_stats(call: Call, id: Ref, issue_iid: int) -> TimeStats:
    async with call.reading() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        return await time_stats(tx, ISSUES, issue.id)
