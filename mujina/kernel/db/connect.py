"""Opens the database that a URL names, with the engine of the URL."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mujina.kernel import deferred_imports
from mujina.kernel.db.errors import DatabaseUnavailable
from mujina.kernel.db.sqlite.database import SqliteDatabase
from mujina.kernel.db.transaction import Database


def connect(url: str, *, foreign_keys: bool = True, pooler: str | None = None) -> Database:
    """The database at `sqlite:///relative/path`, `sqlite:////absolute/path` or `postgresql://…`, not yet open.

    Without `foreign_keys`, SQLite does not enforce them: a table may be made anew without what refers to it being deleted.
    With a `pooler`, sessions with PostgreSQL go through that PgBouncer; what needs a session of its own does not.
    """
    if url.startswith("sqlite:///") and (path := url.removeprefix("sqlite:///")):
        return SqliteDatabase(path, foreign_keys=foreign_keys)
    if url.startswith(("postgresql://", "postgres://")):
        if fault := deferred_imports.postgres_url().find_url_fault(url):
            raise DatabaseUnavailable(f"A database URL {fault}")
        return deferred_imports.postgres().PostgresDatabase(url, pooler=pooler)
    raise DatabaseUnavailable("A database URL begins with sqlite:/// and a path, or with postgresql://.")


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[Database]:
    """The database at the URL, which is closed afterward."""
    database = connect(url)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


def sqlite_file(url: str) -> Path | None:
    """The file of the database, if it is one."""
    path = url.removeprefix("sqlite:///")
    return None if path == url else Path(path)
