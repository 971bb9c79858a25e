"""What can go wrong with a database, in one vocabulary for both engines."""


class DatabaseError(Exception):
    """Something the database refused or could not do."""


class Conflict(DatabaseError):
    """A row of `table` with the same `columns` exists already; both engines name them alike."""

    def __init__(self, table: str, columns: tuple[str, ...]) -> None:
        self.table = table
        self.columns = columns
        super().__init__(self.constraint)

    @property
    def constraint(self) -> str:
        """The broken promise as `labels(project_id, title)`."""
        return f"{self.table}({', '.join(self.columns)})"


class Dangling(Conflict):
    """A reference leads to a row that is not there. SQLite does not say which, so neither engine does."""

    def __init__(self) -> None:
        super().__init__("", ())

    @property
    def constraint(self) -> str:
        return "foreign key"


class Contention(DatabaseError):
    """Another transaction stood in the way; this one left no trace and may be tried again."""


class Busy(Contention):
    """The database had no room for this transaction in time."""


class CommitFailed(DatabaseError):
    """The transaction could not be made durable and left no trace."""


class DatabaseUnavailable(DatabaseError):
    """The database cannot be reached; the message is a sentence for the operator."""


class NewerSchema(DatabaseError):
    """The database was written by a newer Mujina; the message says what to do."""


class MigrationFailed(DatabaseError):
    """The schema could not be upgraded and is as it was; the message says why."""


class Unbindable(ValueError):
    """A value neither engine may see: text with NUL, an integer of more than 64 bits."""
