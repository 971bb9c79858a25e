"""Recognizes that storage is full or read-only, whichever library met it: the file system, a database, git or the file store."""

import errno
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mujina.kernel.errors import Unavailable
from mujina.kernel.logs import log

FULL = "The server's storage is full. Nothing was written; try again later."
READ_ONLY = "The server's storage is read-only. Nothing was written; try again later."
MIN_FREE_BYTES = 1024 * 1024
"""With less free space than this, the next write of ordinary size would fail."""
_PROBE_BYTES = 4_096
_BY_NUMBER = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: READ_ONLY}
_BY_TEXT = {
    "no space left on device": FULL,
    "disk quota exceeded": FULL,
    "disk is full": FULL,  # SQLite
    "disk full": FULL,
    "read-only file system": READ_ONLY,
    "readonly database": READ_ONLY,  # SQLite
    "read-only transaction": READ_ONLY,  # PostgreSQL
    "disk i/o error": READ_ONLY,  # SQLite, if the file system was made read-only while it was open
}
_DISK_FULL = "53100"
"""PostgreSQL's code, whatever the language of its messages."""
_OURS = ("mujina.kernel.errors", "mujina.kernel.params")


class StorageMissing(Unavailable):
    """What the database knows is missing from the disk, or the disk itself is; the sentence is for any user."""

    def __init__(self, sentence: str) -> None:
        super().__init__({"message": f"503 Service Unavailable - {sentence}"}, {"Retry-After": "60"})
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


def missing_file(key: str) -> StorageMissing:
    """The database knows the file, and the storage does not have it."""
    log.error("a file is missing", key=key)
    return StorageMissing("This file is missing from the server's storage. Please tell an administrator.")


def storage_problem(error: BaseException) -> str | None:
    """A sentence if this error, or one that caused it, means that storage is full or read-only; None otherwise."""
    for each in _chain(error):
        if isinstance(each, OSError) and each.errno in _BY_NUMBER:
            return _BY_NUMBER[each.errno]
        if getattr(each, "sqlstate", None) == _DISK_FULL:
            return FULL
        if type(each).__module__ not in _OURS and (found := storage_problem_in(str(each))):
            return found
    return None


def storage_problem_in(text: str) -> str | None:
    """The same for the message of a program, such as git's."""
    lowered = text.lower()
    return next((sentence for words, sentence in _BY_TEXT.items() if words in lowered), None)


def find_storage_problem(folders: Iterable[Path]) -> str | None:
    """In a word or two, why files cannot be written to one of these folders now; None if they can."""
    for folder in folders:
        try:
            state = os.statvfs(folder)
            if state.f_bavail * state.f_frsize < MIN_FREE_BYTES:
                return "full"
            with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
                probe.write(b"\0" * _PROBE_BYTES)
        except OSError as error:
            return {FULL: "full", READ_ONLY: "read-only"}.get(storage_problem(error) or "", "not writable")
    return None


def check_storage(folder: Path) -> None:
    """Raise an error if the storage of the folder is full or read-only, before a program finds out half-way."""
    state = os.statvfs(folder)
    if state.f_flag & os.ST_RDONLY:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    if state.f_bavail * state.f_frsize < MIN_FREE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def explained(folder: Path) -> Generator[None]:
    """Errors inside, whose library may not say why it could not write, say so if the folder's storage is the reason."""
    try:
        yield
    except Exception as error:
        understood = storage_problem(error) or type(error).__module__.startswith("mujina.")
        problem = None if understood else find_storage_problem([folder])
        if problem in _NUMBERS:
            raise OSError(_NUMBERS[problem], os.strerror(_NUMBERS[problem])) from error
        raise


_NUMBERS = {"full": errno.ENOSPC, "read-only": errno.EROFS}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
