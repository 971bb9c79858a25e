"""Labels of projects and of groups; a label is named by its title in a parameter, or by id or title in the path."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Call, Json
from mujina.kernel.owners import Owner
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.kernel.routing import Segment, delete, get, post, put
from mujina.kernel.rules import Rule
from mujina.planning.issues.readable_projects import ReadableProjects, readable_in_group, readable_in_project
from mujina.planning.labels import entities, operations
from mujina.planning.labels.params import CreateLabel, EditLabel, EditLabelByName, LabelByName, ListLabels
from mujina.planning.labels.rules import LabelRow, find_label, usable
from mujina.workspaces.groups.rules import ADMIN_GROUP_LABEL, READ_GROUP, find_group
from mujina.workspaces.projects.rules import ADMIN_LABEL, READ_PROJECT, find_project


@get("/projects/:id/labels")
async def list_project_labels(call: Call, id: Ref, query: ListLabels, page: Page) -> Json:
    async with call.reading() as tx:
        return await _page(tx, call, await _project(tx, call, id), query, page)


@get("/projects/:id/labels/:label_id")
async def show_project_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.reading() as tx:
        here = await _project(tx, call, id)
        return await _shown(tx, call, here, await find_label(tx, here[0], ref=label_id))


@post("/projects/:id/labels")
async def create_project_label(call: Call, id: Ref, change: CreateLabel) -> Json:
    async with call.transaction() as tx:
        return await _create(tx, call, await _project(tx, call, id, ADMIN_LABEL), change)


@put("/projects/:id/labels")
async def edit_project_label_by_name(call: Call, id: Ref, change: EditLabelByName) -> Json:
    async with call.transaction() as tx:
        here = await _project(tx, call, id, ADMIN_LABEL)
        return await _edit(tx, call, here, await find_label(tx, here[0], title=change.name), change)


@put("/projects/:id/labels/:label_id")
async def edit_project_label(call: Call, id: Ref, label_id: Segment, change: EditLabel) -> Json:
    async with call.transaction() as tx:
        here = await _project(tx, call, id, ADMIN_LABEL)
        return await _edit(tx, call, here, await find_label(tx, here[0], ref=label_id), change)


@delete("/projects/:id/labels")
async def delete_project_label_by_name(call: Call, id: Ref, named: LabelByName) -> Json:
    async with call.transaction() as tx:
        holder, _ = await _project(tx, call, id, ADMIN_LABEL)
        await _remove(tx, call, holder, await find_label(tx, holder, title=named.name))


@delete("/projects/:id/labels/:label_id")
async def delete_project_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.transaction() as tx:
        holder, _ = await _project(tx, call, id, ADMIN_LABEL)
        await _remove(tx, call, holder, await find_label(tx, holder, ref=label_id))


@post("/projects/:id/labels/:label_id/subscribe")
async def subscribe_to_project_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _project(tx, call, id), label_id, subscribed=True)


@post("/projects/:id/labels/:label_id/unsubscribe")
async def unsubscribe_from_project_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _project(tx, call, id), label_id, subscribed=False)


@get("/groups/:id/labels")
async def list_group_labels(call: Call, id: Ref, query: ListLabels, page: Page) -> Json:
    async with call.reading() as tx:
        return await _page(tx, call, await _group(tx, call, id), query, page)


@get("/groups/:id/labels/:label_id")
async def show_group_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.reading() as tx:
        here = await _group(tx, call, id)
        return await _shown(tx, call, here, await find_label(tx, here[0], ref=label_id))


@post("/groups/:id/labels")
async def create_group_label(call: Call, id: Ref, change: CreateLabel) -> Json:
    async with call.transaction() as tx:
        return await _create(tx, call, await _group(tx, call, id, ADMIN_GROUP_LABEL), change)


@put("/groups/:id/labels")
async def edit_group_label_by_name(call: Call, id: Ref, change: EditLabelByName) -> Json:
    async with call.transaction() as tx:
        here = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        return await _edit(tx, call, here, await find_label(tx, here[0], title=change.name), change)


@put("/groups/:id/labels/:label_id")
async def edit_group_label(call: Call, id: Ref, label_id: Segment, change: EditLabel) -> Json:
    async with call.transaction() as tx:
        here = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        return await _edit(tx, call, here, await find_label(tx, here[0], ref=label_id), change)


@delete("/groups/:id/labels")
async def delete_group_label_by_name(call: Call, id: Ref, named: LabelByName) -> Json:
    async with call.transaction() as tx:
        holder, _ = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        await _remove(tx, call, holder, await find_label(tx, holder, title=named.name))


@delete("/groups/:id/labels/:label_id")
async def delete_group_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.transaction() as tx:
        holder, _ = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        await _remove(tx, call, holder, await find_label(tx, holder, ref=label_id))


@post("/groups/:id/labels/:label_id/subscribe")
async def subscribe_to_group_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _group(tx, call, id), label_id, subscribed=True)


@post("/groups/:id/labels/:label_id/unsubscribe")
async def unsubscribe_from_group_label(call: Call, id: Ref, label_id: Segment) -> Json:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _group(tx, call, id), label_id, subscribed=False)


Here = tuple[Owner, ReadableProjects]
"""Whose labels are spoken of, and the issues that are counted for them."""


async def _project(tx: Tx, call: Call, id: Ref, to: Rule = READ_PROJECT) -> Here:
    project = await find_project(tx, call.actor, id, to=to)
    return Owner("project", project.id, project.namespace_id), readable_in_project(call.actor, project)


async def _group(tx: Tx, call: Call, id: Ref, to: Rule = READ_GROUP) -> Here:
    group = await find_group(tx, call.actor, id, to=to)
    return Owner("group", group.id, group.id), await readable_in_group(tx, call.actor, group.id, "all")


async def _page(tx: Tx, call: Call, here: Here, query: ListLabels, page: Page) -> Paged:
    chosen = usable(here[0])
    if query.search:
        chosen.matching(query.search, "l.title_folded")
    return page.of(await entities.listed(tx, call.actor, *here, chosen, page), await chosen.total(tx))


async def _shown(tx: Tx, call: Call, here: Here, label: LabelRow) -> entities.Label:
    return await entities.single(tx, call.actor, *here, label.id)


async def _create(tx: Tx, call: Call, here: Here, change: CreateLabel) -> entities.Label:
    label_id = await operations.create(tx, call.actor, here[0], change)
    return await entities.single(tx, call.actor, *here, label_id)


async def _edit(tx: Tx, call: Call, here: Here, label: LabelRow, change: EditLabel) -> entities.Label:
    await operations.edit(tx, call.actor, here[0], label, change)
    return await _shown(tx, call, here, label)


async def _remove(tx: Tx, call: Call, holder: Owner, label: LabelRow) -> None:
    call.unless_modified(label.updated_at)
    await operations.remove(tx, call.actor, holder, label)


async def _subscribe(tx: Tx, call: Call, here: Here, ref: str, *, subscribed: bool) -> entities.Label:
    label = await find_label(tx, here[0], ref=ref)
    if not await operations.subscribe(tx, call.actor, label, subscribed=subscribed):
        raise errors.not_modified()
    return await _shown(tx, call, here, label)
