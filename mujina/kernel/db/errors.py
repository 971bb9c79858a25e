"""The errors of a database, in one vocabulary for both engines."""

from collections.abc import Generator
from contextlib import contextmanager

from mujina.kernel import errors


class DatabaseError(Exception):
    """The database refused a statement or could not run it."""


class ConstraintViolation(DatabaseError):
    """A row would break a constraint; `constraint` names it alike on both engines."""

    constraint: str


class UniqueViolation(ConstraintViolation):
    """A row of `table` with the same `columns` exists already."""

    def __init__(self, table: str, columns: tuple[str, ...]) -> None:
        self.table = table
        self.columns = columns
        self.constraint = f"{table}({', '.join(columns)})"
        super().__init__(self.constraint)


@contextmanager
def unique(field: str) -> Generator[None]:
    """400 that names this field of the request if a row with its value exists already."""
    try:
        yield
    except UniqueViolation:
        raise errors.taken(field) from None


class ForeignKeyViolation(ConstraintViolation):
    """A reference leads to a row that does not exist. SQLite does not say which, so neither engine does."""

    def __init__(self) -> None:
        self.constraint = "foreign key"
        super().__init__(self.constraint)


class SerializationFailure(DatabaseError):
    """Another transaction stood in the way; this one left no trace and may be tried again."""


class TemporaryFailure(DatabaseError):
    """The database did not serve the request; the client may try again in a moment."""


class DatabaseBusy(SerializationFailure, TemporaryFailure):
    """No connection or lock became free in time."""


class CommitFailed(TemporaryFailure):
    """The transaction could not be made durable. It left no trace, unless the disk failed after everything was written."""


class DatabaseUnavailable(TemporaryFailure):
    """The database cannot be reached; the message is a sentence for the operator."""


class NewerSchema(DatabaseError):
    """The database was written by a newer Mujina; the message says what to do."""


class MigrationFailed(DatabaseError):
    """The schema could not be upgraded and is as it was; the message says why."""


class UnbindableValue(ValueError):
    """A value that cannot be sent to either engine: text with NUL, an integer of more than 64 bits."""
