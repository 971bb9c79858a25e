"""Labels of projects and groups: a label is named by its title in a parameter, or by id or title in the path."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.planning.issues.filters import readable_in
from mujina.planning.labels import entities, operations
from mujina.planning.labels.entities import Label
from mujina.planning.labels.params import CreateLabel, EditLabel, EditLabelByName, LabelByName, ListLabels
from mujina.planning.labels.rules import ADMIN_LABELS, LabelRow, find_label, own_ids, usable
from mujina.workspaces.owners.rules import Owner, OwnerKind, check_in_group, find_owner, owner_paths


@get(**owner_paths("/labels"))
async def list_owner_labels(call: Call, kind: OwnerKind, id: Ref, query: ListLabels, page: Page) -> Paged[Label]:
    async with call.reading() as tx:
        owner, projects = await readable_in(tx, call.actor, kind, id)
        selection = usable(owner)
        if query.search:
            selection = selection.matching(query.search, "l.title_folded")
        if query.include_ancestor_groups is False:
            selection = selection.where("(l.project_id = :own_id OR l.group_id = :own_group_id)", **own_ids(owner))
        return await entities.load_page(tx, call.actor, owner, projects, selection, page)


@get(**owner_paths("/labels/:label_id"))
async def show_owner_label(call: Call, kind: OwnerKind, id: Ref, label_id: Segment) -> Label:
    async with call.reading() as tx:
        owner, projects = await readable_in(tx, call.actor, kind, id)
        label = await find_label(tx, owner, ref=label_id)
        return await entities.load_one(tx, call.actor, owner, projects, label.id)


@post(**owner_paths("/labels"))
async def create_owner_label(call: Call, kind: OwnerKind, id: Ref, change: CreateLabel) -> Label:
    async with call.transaction() as tx:
        owner, projects = await readable_in(tx, call.actor, kind, id, to=ADMIN_LABELS)
        label_id = await operations.create(tx, call.actor, owner, change)
        return await entities.load_one(tx, call.actor, owner, projects, label_id)


@put(**owner_paths("/labels"))
async def edit_owner_label_by_name(call: Call, kind: OwnerKind, id: Ref, change: EditLabelByName) -> Label:
    return await _edit(call, kind, id, change, title=change.name)


@put(**owner_paths("/labels/:label_id"))
async def edit_owner_label(call: Call, kind: OwnerKind, id: Ref, label_id: Segment, change: EditLabel) -> Label:
    return await _edit(call, kind, id, change, ref=label_id)


async def _edit(call: Call, kind: OwnerKind, id: Ref, change: EditLabel, *, ref: str = "", title: str = "") -> Label:
    async with call.transaction() as tx:
        owner, projects = await readable_in(tx, call.actor, kind, id, to=ADMIN_LABELS)
        label = await find_label(tx, owner, ref=ref, title=title)
        await operations.edit(tx, call.actor, owner, label, change)
        return await entities.load_one(tx, call.actor, owner, projects, label.id)


@put("/projects/:id/labels/promote")
async def promote_label_by_name(call: Call, id: Ref, label: LabelByName) -> Label:
    return await _promote(call, id, title=label.name)


@put("/projects/:id/labels/:label_id/promote")
async def promote_label(call: Call, id: Ref, label_id: Segment) -> Label:
    """Make the label of a project one of its group; labels of the same name in other projects are merged into it."""
    return await _promote(call, id, ref=label_id)


async def _promote(call: Call, id: Ref, *, ref: str = "", title: str = "") -> Label:
    async with call.transaction() as tx:
        project = await find_owner(tx, call.actor, "project", id, to=ADMIN_LABELS)
        label = await find_label(tx, project, ref=ref, title=title)
        await check_in_group(tx, project)
        group, projects = await readable_in(tx, call.actor, "group", Ref.of(project.namespace_id), to=ADMIN_LABELS)
        promoted = await operations.promote(tx, call.actor, project, label, group)
        return await entities.load_one(tx, call.actor, group, projects, promoted)


@delete(**owner_paths("/labels"))
async def delete_owner_label_by_name(call: Call, kind: OwnerKind, id: Ref, label: LabelByName) -> None:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=ADMIN_LABELS)
        await _remove(tx, call, owner, await find_label(tx, owner, title=label.name))


@delete(**owner_paths("/labels/:label_id"))
async def delete_owner_label(call: Call, kind: OwnerKind, id: Ref, label_id: Segment) -> None:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=ADMIN_LABELS)
        await _remove(tx, call, owner, await find_label(tx, owner, ref=label_id))


async def _remove(tx: Tx, call: Call, owner: Owner, label: LabelRow) -> None:
    call.unless_modified(label.updated_at)
    await operations.remove(tx, call.actor, owner, label)


@post(**owner_paths("/labels/:label_id/subscribe"))
async def subscribe_to_owner_label(call: Call, kind: OwnerKind, id: Ref, label_id: Segment) -> Label:
    return await _subscribe(call, kind, id, label_id, subscribed=True)


@post(**owner_paths("/labels/:label_id/unsubscribe"))
async def unsubscribe_from_owner_label(call: Call, kind: OwnerKind, id: Ref, label_id: Segment) -> Label:
    return await _subscribe(call, kind, id, label_id, subscribed=False)


async def _subscribe(call: Call, kind: OwnerKind, id: Ref, ref: str, *, subscribed: bool) -> Label:
    async with call.transaction() as tx:
        owner, projects = await readable_in(tx, call.actor, kind, id)
        label = await find_label(tx, owner, ref=ref)
        if not await operations.subscribe(tx, call.actor, label, subscribed=subscribed):
            raise errors.not_modified()
        return await entities.load_one(tx, call.actor, owner, projects, label.id)
