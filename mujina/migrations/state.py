"""Compares the schema of a database with that of this version, without changing anything."""

from typing import Literal

from mujina.kernel.db.transaction import Database
from mujina.kernel.services import Services
from mujina.migrations.revisions import known
from mujina.migrations.upgrade import finished_revisions

State = Literal["empty", "older", "current", "newer"]


async def schema_state(database: Database) -> State:
    """`current`, or why this Mujina cannot work with the database."""
    async with database.reading() as tx:
        finished, revisions = set(await finished_revisions(tx)), set(known())
    if not finished:
        return "empty"
    if finished - revisions:
        return "newer"
    return "older" if revisions - finished else "current"


async def missing_revisions(database: Database) -> list[str]:
    """The revisions of this version that have not run on the database."""
    async with database.reading() as tx:
        finished = await finished_revisions(tx)
    return [revision for revision in known() if revision not in finished]


async def find_database_problem(services: Services) -> str | None:
    """Why this Mujina could not write to the database, or read it, in a few words; raises what a writer would meet."""
    database = services.database
    if (state := await schema_state(database)) != "current":
        return f"{state} schema"
    if services.secondary is not None:  # on a secondary, the database only reads
        return None
    async with database.transaction() as tx:
        # It meets a lock that is not released, a full or failing disk, a server that only reads. The number changes, because
        # SQLite does not write what stays the same.
        await tx.run("UPDATE schema_revision SET write_checks = write_checks + 1")
    return None
