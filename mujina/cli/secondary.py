"""The services of a secondary: a read-only replica of the primary's database, and a local one for what was copied."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from mujina.kernel.db.clock_recovery import recover_clock
from mujina.kernel.db.connect import connect
from mujina.kernel.db.replica import ReplicaDatabase
from mujina.kernel.services import Services
from mujina.replication.nodes.identity import read_identity
from mujina.settings import Settings


def registry_url(settings: Settings) -> str:
    """The local database of a secondary."""
    return f"sqlite:///{settings.data.absolute()}/replication.db"


@asynccontextmanager
async def as_secondary(services: Services) -> AsyncGenerator[Services]:
    """The services as those of the secondary that this data folder belongs to; of a primary, unchanged."""
    identity = read_identity(services.settings.data)
    if identity is None:
        yield services
        return
    registry = connect(registry_url(services.settings))
    await registry.open()
    try:
        await recover_clock(registry, services.product)
        yield msgspec.structs.replace(
            services, database=ReplicaDatabase(services.database), node_id=identity.node_id, registry=registry
        )
    finally:
        await registry.close()
