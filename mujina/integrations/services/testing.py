"""Calls a service now, with a sample of one of its events."""

from typing import Final

from mujina.integrations.deliveries.operations import NO_SUPPORTED_EVENT, call_once, check_success
from mujina.integrations.deliveries.queue.building import store_payload
from mujina.integrations.hooks.rules import hook_of_service
from mujina.integrations.payloads.operations import build_sample
from mujina.integrations.services.rules import ServiceRow
from mujina.kernel import errors
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.owners.rules import OwnerOrInstance

NOT_CALLED: Final = "This service is not called: it is not active, or its settings are only stored."


async def call_now(services: Services, actor: Actor, row: ServiceRow) -> None:
    """422 with the reason if the service is not called, has nothing to be told, or does not answer with success."""
    async with services.database.reading() as tx:
        hook = await hook_of_service(tx, row.id)
    if hook is None:
        raise errors.Unprocessable({"message": NOT_CALLED})
    missing = ""
    for flag in row.read_events():
        payload = await build_sample(services, OwnerOrInstance(row.project_id), actor.id, flag)
        if isinstance(payload, str):
            missing = missing or payload
            continue
        async with services.database.transaction() as tx:
            payload_id = await store_payload(tx, row.project_id, payload)
        try:
            attempt = await call_once(services, hook.id, payload_id)
        except errors.Unprocessable:
            missing = missing or NO_SUPPORTED_EVENT
            continue
        check_success(attempt)
        return
    raise errors.Unprocessable({"message": missing})
