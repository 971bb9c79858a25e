"""The database and the services for commands that change it.

This imports the whole product: commands that only read do without it.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina import app
from mujina.cli.instance import Instance
from mujina.kernel.db.transaction import Database
from mujina.kernel.monitoring import logs
from mujina.kernel.monitoring.readiness import prepare
from mujina.kernel.services import Services


@asynccontextmanager
async def database_to_change(instance: Instance) -> AsyncGenerator[Database]:
    """The database of an existing instance; a change of it has the consequences that it has in a server."""
    async with instance.database() as database:
        app.compose(instance.settings(), database)
        yield database


@asynccontextmanager
async def services_of(instance: Instance, log_level: str = "warning") -> AsyncGenerator[Services]:
    """The services of an existing instance, which may not have been served yet, for one command.

    The command writes lines of at least this level to the log.
    """
    async with instance.database() as database:
        settings = instance.settings()
        logs.configure(settings.log_format, log_level)
        services = await app.services_for(settings, database)
        try:
            await prepare(services)
            yield services
        finally:
            services.passwords.close()
