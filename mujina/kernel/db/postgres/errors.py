"""PostgreSQL's errors, translated to those of both engines."""

import re
from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from mujina.kernel.db.errors import (
    DatabaseBusy,
    DatabaseUnavailable,
    ForeignKeyViolation,
    SerializationFailure,
    UniqueViolation,
)

POOLED = (
    "A pooler such as PgBouncer answers at database_url: name PostgreSQL itself there, and the pooler in "
    "database_pooler_url."
)
_KEY = re.compile(r"\((.*?)\)=\(")
"""The columns in `Key (project_id, title)=(…) already exists`, in any language of the server."""


@contextmanager
def translated_errors() -> Generator[None]:
    """Errors of psycopg inside are raised as those of `db/errors.py`."""
    try:
        yield
    except errors.UniqueViolation as error:
        key = _KEY.search(error.diag.message_detail or "")
        columns = key[1].replace('"', "").split(", ") if key else []
        raise UniqueViolation(error.diag.table_name or "", tuple(columns)) from error
    except errors.ForeignKeyViolation as error:
        raise ForeignKeyViolation from error
    except errors.LockNotAvailable as error:
        raise DatabaseBusy(f"a lock was not released in time: {error.diag.message_primary}") from error
    except (errors.SerializationFailure, errors.DeadlockDetected) as error:
        raise SerializationFailure(f"another transaction stood in the way: {error.diag.message_primary}") from error
    except psycopg.OperationalError as error:
        if error.sqlstate and not error.sqlstate.startswith(("08", "57P")):
            raise
        raise DatabaseUnavailable("The connection to PostgreSQL was lost.") from error


def connection_failure(error: psycopg.OperationalError, conninfo: str) -> DatabaseUnavailable:
    """Why the connection failed, without the password, and what to do."""
    parts = conninfo_to_dict(conninfo)
    server = f"{parts.get('host') or 'localhost'}, port {parts.get('port') or 5432}"
    # Indented lines are only questions: "Is the server running on that host …?"
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]
    if "startup parameter" in str(error):
        return DatabaseUnavailable(POOLED)
    reason = lines[-1].rpartition(" failed: ")[2].removeprefix("FATAL:").strip() if lines else "no reason is given"
    return DatabaseUnavailable(
        f"PostgreSQL at {server}, database {parts.get('dbname') or parts.get('user')}, cannot be used ({reason}): "
        "see that it runs and lets us in, or name another with --database-url."
    )
