"""The log of deliveries, and deliveries that are asked for: tests, and once more."""

from typing import Any

from mujina.integrations.deliveries import entities, operations
from mujina.integrations.deliveries.entities import LoggedDelivery, ResentDelivery, TestedHook
from mujina.integrations.deliveries.params import ListDeliveries
from mujina.integrations.deliveries.queue.building import store_payload
from mujina.integrations.deliveries.queue.leases import find_payload
from mujina.integrations.hooks.rules import find_hook
from mujina.integrations.payloads.events import for_instance
from mujina.integrations.payloads.operations import build_sample
from mujina.integrations.payloads.samples import SYSTEM_SAMPLE, find_flag
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get, post
from mujina.workspaces.owners.rules import INSTANCE, OwnerKind, find_administered


@get(project="/projects/:id/hooks/:hook_id/events", group="/groups/:id/hooks/:hook_id/events")
async def list_deliveries(
    call: Call, kind: OwnerKind, id: Ref, hook_id: int, query: ListDeliveries, page: Page
) -> Paged[LoggedDelivery]:
    async with call.reading() as tx:
        hook = await find_hook(tx, await find_administered(tx, call.actor, kind, id), hook_id)
        return await entities.load_page(tx, hook.id, query, page)


@post(
    project="/projects/:id/hooks/:hook_id/events/:event_id/resend",
    group="/groups/:id/hooks/:hook_id/events/:event_id/resend",
)
async def resend_delivery(call: Call, kind: OwnerKind, id: Ref, hook_id: int, event_id: int) -> ResentDelivery:
    async with call.reading() as tx:
        hook = await find_hook(tx, await find_administered(tx, call.actor, kind, id), hook_id)
        payload_id = await find_payload(tx, hook.id, event_id)
    attempt = await operations.call_once(call.services, hook.id, payload_id)
    if attempt.error is not None:
        raise errors.Unprocessable({"message": attempt.error})
    return ResentDelivery(int(attempt.response_status))


@post(project="/projects/:id/hooks/:hook_id/test/:trigger", group="/groups/:id/hooks/:hook_id/test/:trigger")
async def test_hook(call: Call, kind: OwnerKind, id: Ref, hook_id: int, trigger: Segment) -> TestedHook:
    flag = find_flag(trigger)
    async with call.reading() as tx:
        hook = await find_hook(tx, await find_administered(tx, call.actor, kind, id), hook_id)
    payload = await build_sample(call.services, hook.owner, call.actor.id, flag)
    if isinstance(payload, str):
        raise errors.Unprocessable({"message": payload})
    async with call.transaction() as tx:
        payload_id = await store_payload(tx, None, payload)
    operations.check_success(await operations.call_once(call.services, hook.id, payload_id))
    return TestedHook("201 Created")


@get("/hooks/:id", admin=True, writes=True)
async def test_system_hook(call: Call, id: int) -> dict[str, Any]:
    # Compat: reading a system hook calls it, and answers what was sent, whatever its receiver says.
    async with call.transaction() as tx:
        hook = await find_hook(tx, INSTANCE, id)
        payload_id = await store_payload(tx, None, for_instance(None, SYSTEM_SAMPLE))
    await operations.call_once(call.services, hook.id, payload_id)
    return SYSTEM_SAMPLE
