"""Custom attributes of people, groups and projects, for administrators."""

from mujina.instance.custom_attributes import entities, operations
from mujina.instance.custom_attributes.entities import Attribute
from mujina.instance.custom_attributes.rules import find_value
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import Segment, delete, get, put
from mujina.workspaces.custom_attributes.params import SetAttribute
from mujina.workspaces.custom_attributes.rules import find_subject

LIST = ("/users/:id/custom_attributes", "/groups/:id/custom_attributes", "/projects/:id/custom_attributes")
ONE = (
    "/users/:id/custom_attributes/:key",
    "/groups/:id/custom_attributes/:key",
    "/projects/:id/custom_attributes/:key",
)


@get(*LIST, admin=True)
async def list_attributes(call: Call, id: Ref, page: Page) -> Json:
    async with call.reading() as tx:
        chosen = entities.attributes_of(await find_subject(tx, call.actor, call.route, id))
        return page.of(await entities.listed(tx, chosen, page), await chosen.total(tx))


@get(*ONE, admin=True)
async def show_attribute(call: Call, id: Ref, key: Segment) -> Json:
    async with call.reading() as tx:
        subject = await find_subject(tx, call.actor, call.route, id)
        return Attribute(key, await find_value(tx, subject, key))


@put(*ONE, admin=True)
async def set_attribute(call: Call, id: Ref, key: Segment, change: SetAttribute) -> Json:
    async with call.transaction() as tx:
        subject = await find_subject(tx, call.actor, call.route, id)
        await operations.put(tx, call.actor, subject, key, change.value)
        return Attribute(key, change.value)


@delete(*ONE, admin=True)
async def delete_attribute(call: Call, id: Ref, key: Segment) -> Json:
    async with call.transaction() as tx:
        subject = await find_subject(tx, call.actor, call.route, id)
        await operations.remove(tx, call.actor, subject, key)
