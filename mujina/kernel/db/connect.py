"""Opens the database that a URL names, with the engine of the URL."""

from mujina.kernel import deferred_imports
from mujina.kernel.db.errors import DatabaseUnavailable
from mujina.kernel.db.sqlite import SqliteDatabase
from mujina.kernel.db.transaction import Database


def connect(url: str) -> Database:
    """The database at `sqlite:///relative/path`, `sqlite:////absolute/path` or `postgresql://…`, not yet open."""
    if url.startswith("sqlite:///") and (path := url.removeprefix("sqlite:///")):
        return SqliteDatabase(path)
    if url.startswith(("postgresql://", "postgres://")):
        return deferred_imports.postgres().PostgresDatabase(url)
    raise DatabaseUnavailable("A database URL begins with sqlite:/// and a path, or with postgresql://.")
