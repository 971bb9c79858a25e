"""The push rule of a project."""

from mujina.code.push_rules import entities, operations
from mujina.code.push_rules.entities import PushRule
from mujina.code.push_rules.params import ChangePushRule
from mujina.code.push_rules.rules import find_push_rule, push_rule_of
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@get("/projects/:id/push_rule")
async def show_push_rule(call: Call, id: Ref) -> PushRule | None:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return entities.to_push_rule(await push_rule_of(tx, project.id))


@post("/projects/:id/push_rule")
async def create_push_rule(call: Call, id: Ref, change: ChangePushRule) -> PushRule | None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.create(tx, call.actor, project.id, change)
        return entities.to_push_rule(await push_rule_of(tx, project.id))


@put("/projects/:id/push_rule")
async def edit_push_rule(call: Call, id: Ref, change: ChangePushRule) -> PushRule | None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.edit(tx, call.actor, await find_push_rule(tx, project.id), change)
        return entities.to_push_rule(await push_rule_of(tx, project.id))


@delete("/projects/:id/push_rule")
async def delete_push_rule(call: Call, id: Ref) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        rule = await push_rule_of(tx, project.id)
        if rule is not None:
            await operations.remove(tx, call.actor, rule)
