"""The database and the services for commands that change it, or read it as a server does.

This imports the whole product: commands that only read do without it.
"""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from mujina import app
from mujina.cli.instance import Instance
from mujina.kernel.db.transaction import Database
from mujina.kernel.monitoring import logs
from mujina.kernel.monitoring.readiness import prepare
from mujina.kernel.services import Services, find_secondary


@asynccontextmanager
async def composed_database(instance: Instance, *, to_change: bool = False) -> AsyncGenerator[Database]:
    """The database of an existing instance, as the entry points read it."""
    async with instance.database(to_change=to_change) as database:
        app.compose(instance.settings(), database)
        yield database


def database_to_change(instance: Instance) -> AbstractAsyncContextManager[Database]:
    """The database of an existing primary; a change of it has the consequences that it has in a server."""
    return composed_database(instance, to_change=True)


@asynccontextmanager
async def services_of(
    instance: Instance, log_level: str = "warning", *, to_change: bool = True
) -> AsyncGenerator[Services]:
    """The services of an existing instance, which may not have been served yet, for one command.

    The command writes lines of at least this level to the log. On a secondary it may only read.
    """
    settings = instance.settings()
    async with instance.database(to_change=to_change) as database:
        logs.configure(settings.log_format, log_level)
        services = await app.services_for(settings, database)
        try:
            if find_secondary(services.product, settings) is None:
                await prepare(services)
            yield services
        finally:
            services.passwords.close()
