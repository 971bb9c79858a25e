"""Errors that the operator can fix: printed as one sentence, never as a traceback."""

import sys
from collections.abc import Callable

from mujina.backups.errors import BackupError
from mujina.configuration import BadSetting
from mujina.kernel.db.errors import DatabaseUnavailable, MigrationFailed, NewerSchema, UnbindableValue
from mujina.kernel.errors import ApiError
from mujina.kernel.http.certificate_files import UnusableCertificate
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.storage.errors import FAILING, FULL, READ_ONLY, UNREADABLE, StorageNotMounted, storage_problem
from mujina.processes.listener import CannotListen, TooFewFiles


class CommandError(Exception):
    """The message is one sentence that states the problem and its solution."""


OPERATOR_ERRORS = (
    CommandError,
    BackupError,
    BadSetting,
    CannotListen,
    TooFewFiles,
    UnusableCertificate,
    DatabaseUnavailable,
    NewerSchema,
    MigrationFailed,
    UnreadableSecret,
    StorageNotMounted,
)
"""Errors whose message is written for the operator."""
OPERATOR_SENTENCES = {
    FULL: "Storage is full: free some space, then run this again.",
    READ_ONLY: "Storage is read-only: make it writable, then run this again.",
    FAILING: "Storage reports errors: check the disk, then run this again.",
    UNREADABLE: "A repository cannot be read: restore it from a backup, see `mujina restore --help`.",
}


def run_command(command: Callable[[], int | None]) -> int:
    """Return the exit code of the command; print an operator's error as a sentence and return 2."""
    try:
        return command() or 0
    except OPERATOR_ERRORS as error:
        return print_error(str(error))
    except UnbindableValue as error:
        return print_error(f"{str(error).removeprefix(':')}: see --help.")
    except UnicodeEncodeError:
        return print_error("The arguments are not valid UTF-8.")
    except ApiError as error:
        return print_error("; ".join(error.sentences))
    except Exception as error:
        if (problem := storage_problem(error)) in OPERATOR_SENTENCES:
            named = getattr(error, "filename", None) if problem == READ_ONLY else None
            return print_error(f"{OPERATOR_SENTENCES[problem]}{f' It is about {named}.' if named else ''}")
        if not isinstance(error, OSError) or error.strerror is None or isinstance(error, BrokenPipeError):
            raise
        return print_error(f"{error.strerror}{'' if error.filename is None else f': {error.filename}'}.")


def print_error(sentence: str) -> int:
    """Print the sentence to stderr and return the exit code."""
    print(f"mujina: {sentence}", file=sys.stderr)
    return 2
