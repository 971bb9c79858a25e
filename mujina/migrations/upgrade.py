"""Upgrade a database to the schema of this version at every start; nearly free when it is current."""

import asyncio
import sys
from typing import LiteralString, cast

from mujina.kernel.db.connect import connect
from mujina.kernel.db.errors import MigrationFailed, NewerSchema
from mujina.kernel.db.transaction import Tx
from mujina.migrations.revisions import known, schema

TURN: LiteralString = "SELECT pg_advisory_xact_lock(7077106101)"
"""The advisory lock of schema changes on PostgreSQL; the number is arbitrary and never changes."""

STAMPED: dict[str, LiteralString] = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE name = 'alembic_version'",
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'alembic_version'",
}


async def migrate(url: str) -> None:
    """The database at `url` has the newest schema, however many processes start at once; a newer one is refused."""
    revisions = known()
    stored = await _stored_or_made(url)
    if stored == revisions[-1]:
        return
    if stored is not None and stored not in revisions:
        raise NewerSchema(
            f"This database has the schema {stored}, which is newer than the {revisions[-1]} of this Mujina. "
            "Install the Mujina that wrote it, or restore a backup taken before the upgrade."
        )
    await _upgrade(url, revisions[-1])


async def _stored_or_made(url: str) -> str | None:
    """The revision of the database; an empty one is made first."""
    database = connect(url)
    await database.open()
    try:
        async with database.transaction() as tx:
            if tx.engine == "postgres":
                await tx.run("SET LOCAL lock_timeout = 0")  # another process may be creating the schema
                await tx.value(TURN)
            if not await tx.value(STAMPED[tx.engine]):
                await _make(tx)
            return await tx.value("SELECT version_num FROM alembic_version")
    finally:
        await database.close()


async def _make(tx: Tx) -> None:
    for statement in schema(tx.engine):
        await tx.run(cast("LiteralString", statement))


async def _upgrade(url: str, revision: str) -> None:
    """Runs in a process of its own: importing Alembic takes longer than a whole start, and is needed once a release."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mujina.migrations.run",
        stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, complaint = await process.communicate(url.encode())
    if process.returncode:
        raise MigrationFailed(f"The upgrade to the schema {revision} failed and changed nothing:\n{complaint.decode()}")
