"""Hooks of projects and groups, and system hooks."""

from mujina.integrations.hooks import entities, operations
from mujina.integrations.hooks.entities import Hook, SystemHook
from mujina.integrations.hooks.params import HookChange, ProjectHookChange
from mujina.integrations.hooks.rules import find_hook, hook_of
from mujina.kernel.http.dispatcher import Call, JsonResponse
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.owners.rules import INSTANCE, OwnerKind, find_administered


@get(project="/projects/:id/hooks", group="/groups/:id/hooks")
async def list_hooks(call: Call, kind: OwnerKind, id: Ref, page: Page) -> Paged[Hook]:
    async with call.reading() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        return await entities.load_page(tx, call.services.vault, owner, page)


@get(project="/projects/:id/hooks/:hook_id", group="/groups/:id/hooks/:hook_id")
async def show_hook(call: Call, kind: OwnerKind, id: Ref, hook_id: int) -> Hook:
    async with call.reading() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        return entities.to_hook(call.services.vault, await find_hook(tx, owner, hook_id))


@post(project="/projects/:id/hooks", group="/groups/:id/hooks")
async def create_hook(call: Call, kind: OwnerKind, id: Ref, change: ProjectHookChange) -> Hook:
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        operations.check(call.services, owner, change)
        hook_id = await operations.create(tx, call.services, call.actor, owner, change)
        return await entities.created(tx, call.services.vault, owner, hook_id)


@put(project="/projects/:id/hooks/:hook_id", group="/groups/:id/hooks/:hook_id")
async def edit_hook(call: Call, kind: OwnerKind, id: Ref, hook_id: int, change: ProjectHookChange) -> Hook:
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        hook = await find_hook(tx, owner, hook_id, lock=True)
        operations.check(call.services, owner, change)
        await operations.edit(tx, call.services, call.actor, hook, change)
        return await entities.created(tx, call.services.vault, owner, hook_id)


@delete(project="/projects/:id/hooks/:hook_id", group="/groups/:id/hooks/:hook_id")
async def delete_hook(call: Call, kind: OwnerKind, id: Ref, hook_id: int) -> JsonResponse[Hook | None]:
    # Compat: 200 with the hook if it existed, 204 if not.
    async with call.transaction() as tx:
        owner = await find_administered(tx, call.actor, kind, id)
        hook = await hook_of(tx, owner, hook_id)
        if hook is None:
            return JsonResponse(None, 204)
        call.unless_modified(hook.updated_at)
        removed = await operations.remove(tx, call.actor, hook)
        return JsonResponse(entities.to_hook(call.services.vault, hook), 200) if removed else JsonResponse(None, 204)


@get("/hooks", admin=True)
async def list_system_hooks(call: Call, page: Page) -> Paged[SystemHook]:
    async with call.reading() as tx:
        return await entities.load_system_page(tx, call.services.vault, INSTANCE, page)


@post("/hooks", admin=True)
async def create_system_hook(call: Call, change: HookChange) -> SystemHook:
    operations.check(call.services, INSTANCE, change)
    async with call.transaction() as tx:
        hook_id = await operations.create(tx, call.services, call.actor, INSTANCE, change)
        return entities.to_system_hook(call.services.vault, await find_hook(tx, INSTANCE, hook_id))


@delete("/hooks/:id", admin=True)
async def delete_system_hook(call: Call, id: int) -> None:
    async with call.transaction() as tx:
        hook = await find_hook(tx, INSTANCE, id)
        call.unless_modified(hook.updated_at)
        await operations.remove(tx, call.actor, hook)
