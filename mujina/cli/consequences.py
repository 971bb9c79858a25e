"""The database for commands that change it. This imports the whole product: commands that only read do without it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina.cli.instance import Instance
from mujina.kernel.db.transaction import Database
from mujina.kernel.events import register_reactions
from mujina.kernel.removals import register_cleanups
from mujina.reactions import REACTIONS, WATCHES
from mujina.removals import CLEANUPS


@asynccontextmanager
async def database_to_change(instance: Instance) -> AsyncGenerator[Database]:
    """The database of an existing instance; a change of it has the consequences that it has in a server."""
    register_reactions(REACTIONS, WATCHES)
    register_cleanups(CLEANUPS)
    async with instance.database() as database:
        yield database
