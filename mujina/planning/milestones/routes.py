"""Milestones of projects and groups, by their global id."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.lists.pages import load_documents
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.issues.filters import NEWEST_FIRST, readable_in
from mujina.planning.issues.views.issue import Issue
from mujina.planning.milestones import entities, filters, operations
from mujina.planning.milestones.entities import OwnMilestone
from mujina.planning.milestones.params import CreateMilestone, EditMilestone, ListMilestones
from mujina.planning.milestones.rules import ADMIN_MILESTONES, find_milestone, milestones_of
from mujina.workspaces.owners.rules import OwnerKind, check_in_group, find_owner, owner_paths


@get(**owner_paths("/milestones"))
async def list_owner_milestones(
    call: Call, kind: OwnerKind, id: Ref, query: ListMilestones, page: Page
) -> Paged[OwnMilestone]:
    async with call.reading() as tx:
        owner = await find_owner(tx, call.actor, kind, id)
        above = query.include_ancestors or query.include_parent_milestones
        selection = operations.usable_milestones(owner) if above else milestones_of(owner)
        return await entities.load_page(tx, filters.apply_filters(selection, query), page)


@get(**owner_paths("/milestones/:milestone_id"))
async def show_owner_milestone(call: Call, kind: OwnerKind, id: Ref, milestone_id: int) -> OwnMilestone:
    async with call.reading() as tx:
        milestone = await find_milestone(tx, await find_owner(tx, call.actor, kind, id), milestone_id)
        return await entities.load_one(tx, milestone.id)


@post(**owner_paths("/milestones"))
async def create_owner_milestone(call: Call, kind: OwnerKind, id: Ref, change: CreateMilestone) -> OwnMilestone:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=ADMIN_MILESTONES)
        return await entities.load_one(tx, await operations.create(tx, call.actor, owner, change))


@put(**owner_paths("/milestones/:milestone_id"))
async def edit_owner_milestone(
    call: Call, kind: OwnerKind, id: Ref, milestone_id: int, change: EditMilestone
) -> OwnMilestone:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=ADMIN_MILESTONES)
        milestone = await find_milestone(tx, owner, milestone_id, lock=True)
        await operations.edit(tx, call.actor, owner, milestone, change)
        return await entities.load_one(tx, milestone.id)


@post("/projects/:id/milestones/:milestone_id/promote", status=200)
async def promote_milestone(call: Call, id: Ref, milestone_id: int) -> OwnMilestone:
    """Make the milestone of a project one of its group; those of the same title in other projects are merged into it."""
    async with call.transaction() as tx:
        project = await find_owner(tx, call.actor, "project", id, to=ADMIN_MILESTONES)
        milestone = await find_milestone(tx, project, milestone_id, lock=True)
        await check_in_group(tx, project)
        group = await find_owner(tx, call.actor, "group", Ref.of(project.namespace_id), to=ADMIN_MILESTONES)
        await operations.promote(tx, call.actor, milestone, group)
        return await entities.load_one(tx, milestone.id)


@delete(**owner_paths("/milestones/:milestone_id"))
async def delete_owner_milestone(call: Call, kind: OwnerKind, id: Ref, milestone_id: int) -> None:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=ADMIN_MILESTONES)
        milestone = await find_milestone(tx, owner, milestone_id, lock=True)
        call.unless_modified(milestone.updated_at)
        await operations.remove(tx, call.actor, owner, milestone)


@get(**owner_paths("/milestones/:milestone_id/issues"))
async def list_issues_of_owner_milestone(
    call: Call, kind: OwnerKind, id: Ref, milestone_id: int, page: Page
) -> Paged[Issue]:
    """List the issues of a milestone of a {owner}."""
    async with call.reading() as tx:
        owner, projects = await readable_in(tx, call.actor, kind, id)
        milestone = await find_milestone(tx, owner, milestone_id)
        selection = projects.rows(call.actor).where("i.milestone_id = :milestone_id", milestone_id=milestone.id)
        return await load_documents(DOCUMENTS, tx, selection, NEWEST_FIRST, page)
