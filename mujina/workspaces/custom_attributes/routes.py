"""Custom attributes of users, groups and projects, for administrators."""

from mujina.instance.custom_attributes import entities, operations
from mujina.instance.custom_attributes.entities import Attribute
from mujina.instance.custom_attributes.rules import SubjectKind, find_value
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, put
from mujina.workspaces.custom_attributes.params import SetAttribute
from mujina.workspaces.custom_attributes.rules import find_subject

LIST = {
    "user": "/users/:id/custom_attributes",
    "group": "/groups/:id/custom_attributes",
    "project": "/projects/:id/custom_attributes",
}
ONE = {kind: f"{path}/:key" for kind, path in LIST.items()}


@get(admin=True, **LIST)
async def list_attributes(call: Call, kind: SubjectKind, id: Ref, page: Page) -> Paged[Attribute]:
    async with call.reading() as tx:
        selection = entities.attributes_of(await find_subject(tx, call.actor, kind, id))
        return await entities.load_page(tx, selection, page)


@get(admin=True, **ONE)
async def show_attribute(call: Call, kind: SubjectKind, id: Ref, key: Segment) -> Attribute:
    async with call.reading() as tx:
        subject = await find_subject(tx, call.actor, kind, id)
        return Attribute(key, await find_value(tx, subject, key))


@put(admin=True, **ONE)
async def set_attribute(call: Call, kind: SubjectKind, id: Ref, key: Segment, change: SetAttribute) -> Attribute:
    async with call.transaction() as tx:
        subject = await find_subject(tx, call.actor, kind, id)
        await operations.put(tx, call.actor, subject, key, change.value)
        return Attribute(key, change.value)


@delete(admin=True, **ONE)
async def delete_attribute(call: Call, kind: SubjectKind, id: Ref, key: Segment) -> None:
    async with call.transaction() as tx:
        subject = await find_subject(tx, call.actor, kind, id)
        await operations.remove(tx, call.actor, subject, key)
