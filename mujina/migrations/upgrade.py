"""Upgrade a database to the schema of this version at every start; nearly free when it is current."""

from pathlib import Path
from typing import LiteralString, cast

import apsw

from mujina.kernel.db.connect import connect
from mujina.kernel.db.errors import MigrationFailed, NewerSchema
from mujina.kernel.db.sqlite.database import SqliteDatabase
from mujina.kernel.db.sqlite.shared_commit import SharedTx
from mujina.kernel.db.transaction import Tx
from mujina.migrations.newest import newest_schema
from mujina.migrations.revisions import CREATE_REVISION, known, statements
from mujina.migrations.snapshot import megabytes, take_snapshot

LOCK: LiteralString = "SELECT pg_advisory_xact_lock(7077106101)"
"""The advisory lock of schema changes on PostgreSQL; the number is arbitrary and never changes."""

_DUPLICATE = ("42P07", "42710", "42723")
"""What PostgreSQL calls a table or index, another object, and a function that exists already."""

HAS_REVISION: dict[str, LiteralString] = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE name = 'schema_revision'",
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_revision'",
}


async def migrate(url: str) -> str | None:
    """The database at `url` has the newest schema, however many processes start at once; a newer one is refused.

    All revisions run in one transaction: an upgrade that fails or is killed changes nothing, and can be run again. A database
    of SQLite is copied before. Returns a sentence for the operator if an existing database was upgraded.
    """
    database = connect(url, foreign_keys=False)
    await database.open()
    try:
        async with database.transaction() as tx:
            if tx.engine == "postgres":
                await tx.run("SET LOCAL lock_timeout = 0")  # another process may be changing the schema
                await tx.value(LOCK)
            return await _upgrade(tx, known(), database.path if isinstance(database, SqliteDatabase) else None)
    finally:
        await database.close()


async def finished_revisions(tx: Tx) -> list[str]:
    """The revisions that ran on the database, in the order of their numbers; none if it is empty."""
    if not await tx.value(HAS_REVISION[tx.engine]):
        return []
    return str(await tx.value("SELECT revision FROM schema_revision")).split()


async def _upgrade(tx: Tx, revisions: list[str], file: Path | None) -> str | None:
    finished = await finished_revisions(tx)
    if unknown := set(finished) - set(revisions):
        raise NewerSchema(
            f"This database has the schema {max(unknown)}, which is newer than the {revisions[-1]} of this Mujina. "
            "Install the Mujina that wrote it, or restore a backup taken before the upgrade."
        )
    missing = [revision for revision in revisions if revision not in finished]
    if not missing:
        return None
    done = f"The database was upgraded by the revisions {', '.join(missing)}." if finished else None
    if finished and file is not None:
        snapshot = take_snapshot(file)
        done = f"{done} It is kept as it was in {snapshot.path} ({megabytes(snapshot.size)}) until the next upgrade."
    if not finished:
        await tx.run(CREATE_REVISION)
        await tx.run("INSERT INTO schema_revision (revision) VALUES ('')")
    if isinstance(tx, SharedTx) and not finished and (newest := newest_schema()):
        try:
            tx.run_as_it_is(newest)
        except apsw.SQLError as error:
            raise _failed(error, missing[0], finished) from error
    else:
        # Not those after the newest that ran: developers meet revisions in another order than those who upgrade releases.
        for revision in missing:
            await _run(tx, revision, finished)
    await tx.run("UPDATE schema_revision SET revision = :revisions", revisions=" ".join(revisions))
    return done


async def _run(tx: Tx, revision: str, finished: list[str]) -> None:
    try:
        for statement in statements(revision, tx.engine):
            await tx.run_each(cast("LiteralString", statement), [{}])
        await tx.value("SELECT 1")  # PostgreSQL gets all at once, and raises the error of any here
    except Exception as error:
        raise _failed(error, revision, finished) from error


def _failed(error: Exception, revision: str, finished: list[str]) -> MigrationFailed:
    sqlite = isinstance(error, apsw.SQLError) and "already exists" in str(error)
    if not finished and (sqlite or getattr(error, "sqlstate", None) in _DUPLICATE):
        return MigrationFailed(
            f"The database is that of another application and is as it was ({str(error).splitlines()[0]}): "
            "name an empty one with --database-url, or another data folder with --data."
        )
    return MigrationFailed(f"The upgrade to the schema {revision} failed and changed nothing:\n{error}")
