"""Builds the payloads of an event from its record and its snapshot."""

from collections.abc import Awaitable, Callable

from mujina.integrations.payloads.events import HookEventRow, Payload
from mujina.integrations.payloads.issues import build_issue
from mujina.integrations.payloads.objects import Facts
from mujina.kernel.services import Services
from mujina.kernel.urls import InstanceAddress, instance_address

Builder = Callable[[Facts, HookEventRow], Awaitable[list[Payload]]]


class PayloadBuilder:
    """Builds payloads for a batch of events; what they mention is read once."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._facts = Facts(services.database)
        self._builders: dict[str, Builder] = {
            "issue": build_issue,
        }

    async def build(self, event: HookEventRow) -> list[Payload]:
        """The payloads, in the order in which a hook gets them. Addresses in them are the configured ones."""
        settings = self._services.settings
        instance_address.set(InstanceAddress(settings.url, settings.ssh_port))
        return await self._builders[event.kind.partition(".")[0]](self._facts, event)
