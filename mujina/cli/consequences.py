"""The database for commands that change it. This imports the whole product: commands that only read do without it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina import app
from mujina.cli.instance import Instance
from mujina.kernel.db.transaction import Database


@asynccontextmanager
async def database_to_change(instance: Instance) -> AsyncGenerator[Database]:
    """The database of an existing instance; a change of it has the consequences that it has in a server."""
    async with instance.database() as database:
        app.compose(instance.settings(), database)
        yield database
