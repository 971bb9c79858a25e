"""Variables of projects, groups and the instance."""

from mujina.ci.variables import entities, operations
from mujina.ci.variables.entities import CiVariable, InstanceVariable, to_instance_variable, to_variable
from mujina.ci.variables.params import (
    ChooseVariable,
    CreateInstanceVariable,
    CreateVariable,
    EditInstanceVariable,
    EditVariable,
    VariableFilter,
)
from mujina.ci.variables.rules import ADMIN_VARIABLES_OF, find_variable
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.owners.rules import INSTANCE, OwnerKind, find_administered, owner_paths


@get(**owner_paths("/variables"))
async def list_owner_variables(call: Call, kind: OwnerKind, id: Ref, page: Page) -> Paged[CiVariable]:
    async with call.reading() as tx:
        owner = await find_administered(tx, call.actor, kind, id, to=ADMIN_VARIABLES_OF)
        return await entities.load_page(tx, call.services.vault, owner, page)


@get(**owner_paths("/variables/:key"))
async def show_owner_variable(call: Call, kind: OwnerKind, id: Ref, key: Segment, query: ChooseVariable) -> CiVariable:
    async with call.reading() as tx:
        owner = await find_administered(tx, call.actor, kind, id, to=ADMIN_VARIABLES_OF)
        return to_variable(call.services.vault, await find_variable(tx, owner, key, query.filter))


@post(**owner_paths("/variables"))
async def create_owner_variable(call: Call, kind: OwnerKind, id: Ref, change: CreateVariable) -> CiVariable:
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id, to=ADMIN_VARIABLES_OF)
        await operations.create(tx, call.services.vault, call.actor, owner, change)
        created = VariableFilter(environment_scope=change.environment_scope or "*")
        return to_variable(call.services.vault, await find_variable(tx, owner, change.key, created))


@put(**owner_paths("/variables/:key"))
async def edit_owner_variable(call: Call, kind: OwnerKind, id: Ref, key: Segment, change: EditVariable) -> CiVariable:
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id, to=ADMIN_VARIABLES_OF)
        variable = await find_variable(tx, owner, key, change.filter, lock=True)
        await operations.edit(tx, call.services.vault, call.actor, variable, change)
        edited = VariableFilter(environment_scope=change.environment_scope or variable.environment_scope)
        return to_variable(call.services.vault, await find_variable(tx, owner, key, edited))


@delete(**owner_paths("/variables/:key"))
async def delete_owner_variable(call: Call, kind: OwnerKind, id: Ref, key: Segment, query: ChooseVariable) -> None:
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id, to=ADMIN_VARIABLES_OF)
        variable = await find_variable(tx, owner, key, query.filter, lock=True)
        call.unless_modified(variable.updated_at)
        await operations.remove(tx, call.actor, variable)


# Compat: variables of the instance are younger than the specification.
@get("/admin/ci/variables", admin=True)
async def list_instance_variables(call: Call, page: Page) -> Paged[InstanceVariable]:
    async with call.reading() as tx:
        return await entities.load_instance_page(tx, call.services.vault, page)


@get("/admin/ci/variables/:key", admin=True)
async def show_instance_variable(call: Call, key: Segment) -> InstanceVariable:
    async with call.reading() as tx:
        return to_instance_variable(call.services.vault, await find_variable(tx, INSTANCE, key))


@post("/admin/ci/variables", admin=True)
async def create_instance_variable(call: Call, change: CreateInstanceVariable) -> InstanceVariable:
    async with call.transaction() as tx:
        await operations.create(tx, call.services.vault, call.actor, INSTANCE, change)
        return to_instance_variable(call.services.vault, await find_variable(tx, INSTANCE, change.key))


@put("/admin/ci/variables/:key", admin=True)
async def edit_instance_variable(call: Call, key: Segment, change: EditInstanceVariable) -> InstanceVariable:
    async with call.transaction() as tx:
        variable = await find_variable(tx, INSTANCE, key, lock=True)
        await operations.edit(tx, call.services.vault, call.actor, variable, change)
        return to_instance_variable(call.services.vault, await find_variable(tx, INSTANCE, key))


@delete("/admin/ci/variables/:key", admin=True)
async def delete_instance_variable(call: Call, key: Segment) -> None:
    async with call.transaction() as tx:
        variable = await find_variable(tx, INSTANCE, key, lock=True)
        call.unless_modified(variable.updated_at)
        await operations.remove(tx, call.actor, variable)
