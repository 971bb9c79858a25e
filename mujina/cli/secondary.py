"""The services of a secondary: a read-only replica of the primary's database, and a local one for what was copied."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from mujina.cli.errors import CommandError
from mujina.kernel.db.clock_recovery import recover_clock
from mujina.kernel.db.replica import ReplicaDatabase
from mujina.kernel.services import Services, find_secondary
from mujina.product import PRODUCT
from mujina.settings import Settings


def refuse_on_secondary(settings: Settings) -> None:
    """Refuse what would change the instance, if this data folder belongs to a secondary: it only copies its primary."""
    if (secondary := find_secondary(PRODUCT, settings)) is not None:
        raise CommandError(f"This is a secondary: run this on the primary, {secondary.primary_url}")


@asynccontextmanager
async def as_secondary(services: Services) -> AsyncGenerator[Services]:
    """The services as those of the secondary that this data folder belongs to; of a primary, unchanged."""
    secondary = find_secondary(services.product, services.settings)
    if secondary is None:
        yield services
        return
    await secondary.registry.open()
    try:
        await recover_clock(secondary.registry, services.product)
        yield msgspec.structs.replace(services, database=ReplicaDatabase(services.database), secondary=secondary)
    finally:
        await secondary.registry.close()
