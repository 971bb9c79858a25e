"""Milestones of projects and groups, by their global id."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.owners import Owner
from mujina.kernel.permissions.rules import Rule
from mujina.planning.issues import documents as issue_documents
from mujina.planning.issues.filters import NEWEST_FIRST
from mujina.planning.issues.readable_projects import ReadableProjects, readable_in_project
from mujina.planning.issues.views import Issue
from mujina.planning.milestones import entities, filters, operations
from mujina.planning.milestones.entities import Milestone
from mujina.planning.milestones.params import CreateMilestone, EditMilestone, ListMilestones
from mujina.planning.milestones.rules import MilestoneRow, find_milestone, milestones_of
from mujina.workspaces.groups.rules import ADMIN_GROUP_MILESTONE, READ_GROUP, find_group
from mujina.workspaces.projects.rules import ADMIN_MILESTONE, READ_PROJECT, find_project


@get("/projects/:id/milestones")
async def list_project_milestones(call: Call, id: Ref, query: ListMilestones, page: Page) -> Paged[Milestone]:
    async with call.reading() as tx:
        return await _page(tx, await _project(tx, call, id), query, page)


@get("/projects/:id/milestones/:milestone_id")
async def show_project_milestone(call: Call, id: Ref, milestone_id: int) -> Milestone:
    async with call.reading() as tx:
        milestone = await find_milestone(tx, await _project(tx, call, id), milestone_id)
        return await entities.single(tx, milestone.id)


@post("/projects/:id/milestones")
async def create_project_milestone(call: Call, id: Ref, change: CreateMilestone) -> Milestone:
    async with call.transaction() as tx:
        return await _create(tx, call, await _project(tx, call, id, ADMIN_MILESTONE), change)


@put("/projects/:id/milestones/:milestone_id")
async def edit_project_milestone(call: Call, id: Ref, milestone_id: int, change: EditMilestone) -> Milestone:
    async with call.transaction() as tx:
        owner = await _project(tx, call, id, ADMIN_MILESTONE)
        return await _edit(tx, call, owner, milestone_id, change)


@delete("/projects/:id/milestones/:milestone_id")
async def delete_project_milestone(call: Call, id: Ref, milestone_id: int) -> None:
    async with call.transaction() as tx:
        await _remove(tx, call, await _project(tx, call, id, ADMIN_MILESTONE), milestone_id)


@get("/projects/:id/milestones/:milestone_id/issues")
async def list_issues_of_project_milestone(call: Call, id: Ref, milestone_id: int, page: Page) -> Paged[Issue]:
    """List the issues of a milestone of a project."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        milestone = await find_milestone(tx, Owner("project", project.id, project.namespace_id), milestone_id)
        return await _issues(tx, call, milestone, readable_in_project(project), page)


@get("/groups/:id/milestones")
async def list_group_milestones(call: Call, id: Ref, query: ListMilestones, page: Page) -> Paged[Milestone]:
    async with call.reading() as tx:
        return await _page(tx, await _group(tx, call, id), query, page)


@get("/groups/:id/milestones/:milestone_id")
async def show_group_milestone(call: Call, id: Ref, milestone_id: int) -> Milestone:
    async with call.reading() as tx:
        milestone = await find_milestone(tx, await _group(tx, call, id), milestone_id)
        return await entities.single(tx, milestone.id)


@post("/groups/:id/milestones")
async def create_group_milestone(call: Call, id: Ref, change: CreateMilestone) -> Milestone:
    async with call.transaction() as tx:
        return await _create(tx, call, await _group(tx, call, id, ADMIN_GROUP_MILESTONE), change)


@put("/groups/:id/milestones/:milestone_id")
async def edit_group_milestone(call: Call, id: Ref, milestone_id: int, change: EditMilestone) -> Milestone:
    async with call.transaction() as tx:
        owner = await _group(tx, call, id, ADMIN_GROUP_MILESTONE)
        return await _edit(tx, call, owner, milestone_id, change)


@delete("/groups/:id/milestones/:milestone_id")
async def delete_group_milestone(call: Call, id: Ref, milestone_id: int) -> None:
    async with call.transaction() as tx:
        await _remove(tx, call, await _group(tx, call, id, ADMIN_GROUP_MILESTONE), milestone_id)


@get("/groups/:id/milestones/:milestone_id/issues")
async def list_issues_of_group_milestone(call: Call, id: Ref, milestone_id: int, page: Page) -> Paged[Issue]:
    """List the issues of a milestone of a group."""
    async with call.reading() as tx:
        owner = await _group(tx, call, id)
        milestone = await find_milestone(tx, owner, milestone_id)
        return await _issues(
            tx, call, milestone, await ReadableProjects.in_group(tx, call.actor, owner.id, "all"), page
        )


async def _project(tx: Tx, call: Call, id: Ref, to: Rule = READ_PROJECT) -> Owner:
    project = await find_project(tx, call.actor, id, to=to)
    return Owner("project", project.id, project.namespace_id)


async def _group(tx: Tx, call: Call, id: Ref, to: Rule = READ_GROUP) -> Owner:
    group = await find_group(tx, call.actor, id, to=to)
    return Owner("group", group.id, group.id)


async def _page(tx: Tx, owner: Owner, query: ListMilestones, page: Page) -> Paged[Milestone]:
    chosen = milestones_of(owner)
    filters.apply_filters(chosen, query)
    return page.of(await entities.listed(tx, chosen, page), await chosen.total(tx))


async def _create(tx: Tx, call: Call, owner: Owner, change: CreateMilestone) -> Milestone:
    return await entities.single(tx, await operations.create(tx, call.actor, owner, change))


async def _edit(tx: Tx, call: Call, owner: Owner, milestone_id: int, change: EditMilestone) -> Milestone:
    milestone = await find_milestone(tx, owner, milestone_id, lock=True)
    await operations.edit(tx, call.actor, owner, milestone, change)
    return await entities.single(tx, milestone.id)


async def _remove(tx: Tx, call: Call, owner: Owner, milestone_id: int) -> None:
    milestone = await find_milestone(tx, owner, milestone_id, lock=True)
    call.unless_modified(milestone.updated_at)
    await operations.remove(tx, call.actor, owner, milestone)


async def _issues(tx: Tx, call: Call, milestone: MilestoneRow, projects: ReadableProjects, page: Page) -> Paged[Issue]:
    """The issues of the milestone that the caller may read, the newest first."""
    chosen = projects.issues(call.actor)
    chosen.where("i.milestone_id = :milestone_id", milestone_id=milestone.id)
    return await issue_documents.listed(tx, chosen, NEWEST_FIRST, page)
