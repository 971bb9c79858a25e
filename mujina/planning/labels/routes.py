"""Labels of projects and groups: a label is named by its title in a parameter, or by id or title in the path."""

from typing import NamedTuple

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.kernel.owners import Owner
from mujina.kernel.permissions.rules import Rule
from mujina.planning.issues.readable_projects import ReadableProjects, readable_in_project
from mujina.planning.labels import entities, operations
from mujina.planning.labels.entities import Label
from mujina.planning.labels.params import CreateLabel, EditLabel, EditLabelByName, LabelByName, ListLabels
from mujina.planning.labels.rules import LabelRow, find_label, usable
from mujina.workspaces.groups.rules import ADMIN_GROUP_LABEL, READ_GROUP, find_group
from mujina.workspaces.projects.rules import ADMIN_LABEL, READ_PROJECT, find_project


@get("/projects/:id/labels")
async def list_project_labels(call: Call, id: Ref, query: ListLabels, page: Page) -> Paged[Label]:
    async with call.reading() as tx:
        return await _page(tx, call, await _project(tx, call, id), query, page)


@get("/projects/:id/labels/:label_id")
async def show_project_label(call: Call, id: Ref, label_id: Segment) -> Label:
    async with call.reading() as tx:
        scope = await _project(tx, call, id)
        return await _shown(tx, call, scope, await find_label(tx, scope.owner, ref=label_id))


@post("/projects/:id/labels")
async def create_project_label(call: Call, id: Ref, change: CreateLabel) -> Label:
    async with call.transaction() as tx:
        return await _create(tx, call, await _project(tx, call, id, ADMIN_LABEL), change)


@put("/projects/:id/labels")
async def edit_project_label_by_name(call: Call, id: Ref, change: EditLabelByName) -> Label:
    async with call.transaction() as tx:
        scope = await _project(tx, call, id, ADMIN_LABEL)
        return await _edit(tx, call, scope, await find_label(tx, scope.owner, title=change.name), change)


@put("/projects/:id/labels/:label_id")
async def edit_project_label(call: Call, id: Ref, label_id: Segment, change: EditLabel) -> Label:
    async with call.transaction() as tx:
        scope = await _project(tx, call, id, ADMIN_LABEL)
        return await _edit(tx, call, scope, await find_label(tx, scope.owner, ref=label_id), change)


@delete("/projects/:id/labels")
async def delete_project_label_by_name(call: Call, id: Ref, label: LabelByName) -> None:
    async with call.transaction() as tx:
        owner, _ = await _project(tx, call, id, ADMIN_LABEL)
        await _remove(tx, call, owner, await find_label(tx, owner, title=label.name))


@delete("/projects/:id/labels/:label_id")
async def delete_project_label(call: Call, id: Ref, label_id: Segment) -> None:
    async with call.transaction() as tx:
        owner, _ = await _project(tx, call, id, ADMIN_LABEL)
        await _remove(tx, call, owner, await find_label(tx, owner, ref=label_id))


@post("/projects/:id/labels/:label_id/subscribe")
async def subscribe_to_project_label(call: Call, id: Ref, label_id: Segment) -> Label:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _project(tx, call, id), label_id, subscribed=True)


@post("/projects/:id/labels/:label_id/unsubscribe")
async def unsubscribe_from_project_label(call: Call, id: Ref, label_id: Segment) -> Label:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _project(tx, call, id), label_id, subscribed=False)


@get("/groups/:id/labels")
async def list_group_labels(call: Call, id: Ref, query: ListLabels, page: Page) -> Paged[Label]:
    async with call.reading() as tx:
        return await _page(tx, call, await _group(tx, call, id), query, page)


@get("/groups/:id/labels/:label_id")
async def show_group_label(call: Call, id: Ref, label_id: Segment) -> Label:
    async with call.reading() as tx:
        scope = await _group(tx, call, id)
        return await _shown(tx, call, scope, await find_label(tx, scope.owner, ref=label_id))


@post("/groups/:id/labels")
async def create_group_label(call: Call, id: Ref, change: CreateLabel) -> Label:
    async with call.transaction() as tx:
        return await _create(tx, call, await _group(tx, call, id, ADMIN_GROUP_LABEL), change)


@put("/groups/:id/labels")
async def edit_group_label_by_name(call: Call, id: Ref, change: EditLabelByName) -> Label:
    async with call.transaction() as tx:
        scope = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        return await _edit(tx, call, scope, await find_label(tx, scope.owner, title=change.name), change)


@put("/groups/:id/labels/:label_id")
async def edit_group_label(call: Call, id: Ref, label_id: Segment, change: EditLabel) -> Label:
    async with call.transaction() as tx:
        scope = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        return await _edit(tx, call, scope, await find_label(tx, scope.owner, ref=label_id), change)


@delete("/groups/:id/labels")
async def delete_group_label_by_name(call: Call, id: Ref, label: LabelByName) -> None:
    async with call.transaction() as tx:
        owner, _ = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        await _remove(tx, call, owner, await find_label(tx, owner, title=label.name))


@delete("/groups/:id/labels/:label_id")
async def delete_group_label(call: Call, id: Ref, label_id: Segment) -> None:
    async with call.transaction() as tx:
        owner, _ = await _group(tx, call, id, ADMIN_GROUP_LABEL)
        await _remove(tx, call, owner, await find_label(tx, owner, ref=label_id))


@post("/groups/:id/labels/:label_id/subscribe")
async def subscribe_to_group_label(call: Call, id: Ref, label_id: Segment) -> Label:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _group(tx, call, id), label_id, subscribed=True)


@post("/groups/:id/labels/:label_id/unsubscribe")
async def unsubscribe_from_group_label(call: Call, id: Ref, label_id: Segment) -> Label:
    async with call.transaction() as tx:
        return await _subscribe(tx, call, await _group(tx, call, id), label_id, subscribed=False)


class LabelScope(NamedTuple):
    """The project or group of a request, and the projects whose issues are counted."""

    owner: Owner
    projects: ReadableProjects


async def _project(tx: Tx, call: Call, id: Ref, to: Rule = READ_PROJECT) -> LabelScope:
    project = await find_project(tx, call.actor, id, to=to)
    return LabelScope(Owner("project", project.id, project.namespace_id), readable_in_project(project))


async def _group(tx: Tx, call: Call, id: Ref, to: Rule = READ_GROUP) -> LabelScope:
    group = await find_group(tx, call.actor, id, to=to)
    return LabelScope(
        Owner("group", group.id, group.id), await ReadableProjects.in_group(tx, call.actor, group.id, "all")
    )


async def _page(tx: Tx, call: Call, scope: LabelScope, query: ListLabels, page: Page) -> Paged[Label]:
    chosen = usable(scope.owner)
    if query.search:
        chosen.matching(query.search, "l.title_folded")
    return page.of(await entities.listed(tx, call.actor, *scope, chosen, page), await chosen.total(tx))


async def _shown(tx: Tx, call: Call, scope: LabelScope, label: LabelRow) -> Label:
    return await entities.single(tx, call.actor, *scope, label.id)


async def _create(tx: Tx, call: Call, scope: LabelScope, change: CreateLabel) -> Label:
    label_id = await operations.create(tx, call.actor, scope.owner, change)
    return await entities.single(tx, call.actor, *scope, label_id)


async def _edit(tx: Tx, call: Call, scope: LabelScope, label: LabelRow, change: EditLabel) -> Label:
    await operations.edit(tx, call.actor, scope.owner, label, change)
    return await _shown(tx, call, scope, label)


async def _remove(tx: Tx, call: Call, owner: Owner, label: LabelRow) -> None:
    call.unless_modified(label.updated_at)
    await operations.remove(tx, call.actor, owner, label)


async def _subscribe(tx: Tx, call: Call, scope: LabelScope, ref: str, *, subscribed: bool) -> Label:
    label = await find_label(tx, scope.owner, ref=ref)
    if not await operations.subscribe(tx, call.actor, label, subscribed=subscribed):
        raise errors.not_modified()
    return await _shown(tx, call, scope, label)
