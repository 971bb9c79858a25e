"""Recognizes that storage is full, read-only, failing or damaged.

Any library may have met it: that of the file system, a database, git or the file store.
"""

import errno
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mujina.kernel.errors import Unavailable
from mujina.kernel.monitoring.logs import log

FULL = "The server's storage is full. Nothing was written; try again later."
READ_ONLY = "The server's storage is read-only. Nothing was written; try again later."
FAILING = "The server's storage reports errors. Nothing was written; try again later."
NO_ACCESS = "The server has no access to its storage. Nothing was written; try again later."
UNREADABLE = "The repository cannot be read. The log of the server says why."
WORDS = {
    FULL: "full", READ_ONLY: "read-only", FAILING: "failing", NO_ACCESS: "not accessible", UNREADABLE: "damaged",
}  # fmt: skip
"""The problem in a word, for monitoring."""
MIN_FREE_BYTES = 1024 * 1024
"""The free space below which the next write of ordinary size would fail."""
NOT_STORED = "object was not stored"
_PROBE_BYTES = 4_096
_BY_NUMBER = {
    errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: READ_ONLY,
    errno.EIO: FAILING, errno.ESTALE: FAILING, errno.EUCLEAN: FAILING,
    errno.EACCES: NO_ACCESS, errno.EPERM: NO_ACCESS,
}  # fmt: skip
_BY_TEXT = {
    "no space left on device": FULL,
    "disk quota exceeded": FULL,
    "disk is full": FULL,  # SQLite
    "disk full": FULL,
    "read-only file system": READ_ONLY,
    "readonly database": READ_ONLY,  # SQLite
    "read-only transaction": READ_ONLY,  # PostgreSQL
    "disk i/o error": FAILING,  # SQLite, as the next two: a page that cannot be read is empty to it
    "disk image is malformed": FAILING,
    "unable to open database file": FAILING,
    "input/output error": FAILING,
    "stale file handle": FAILING,
    "structure needs cleaning": FAILING,
    NOT_STORED: FAILING,
}
_BY_SQLSTATE = {"53100": FULL, "58030": FAILING, "XX001": FAILING, "XX002": FAILING}
"""PostgreSQL's codes, whatever the language of its messages: no space, an error of the disk, damaged tables and indexes."""
_BY_MODULE = {
    "obstore.exceptions": FAILING,  # a bucket that is away or refuses our key
    "_pygit2": UNREADABLE,  # as the next one: what git can say of a sound repository is expected where it is asked
    "mujina.adapters.git.git": UNREADABLE,
}
_OURS = ("mujina.kernel.errors", "mujina.kernel.http.params")


class StorageNotMounted(Exception):
    """A folder is empty though the database knows what was in it; the message is for the operator."""


class StorageMissing(Unavailable):
    """A file that the database knows is missing from the disk, or the disk itself is; the sentence is for any user."""

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
    """A sentence if this error, or one that caused it, is one of storage; None otherwise."""
    for each in _chain(error):
        if isinstance(each, OSError) and each.errno in _BY_NUMBER:
            return _BY_NUMBER[each.errno]
        if (found := _BY_SQLSTATE.get(getattr(each, "sqlstate", None) or "")) is not None:
            return found
        if isinstance(each, OSError) and "permission denied" in str(each).lower():  # of libgit2: it has no number
            return NO_ACCESS
        if type(each).__module__ not in _OURS and (found := storage_problem_in(str(each))):
            return found
        if (found := _BY_MODULE.get(type(each).__module__)) is not None:
            return found
    return None


def storage_problem_in(text: str) -> str | None:
    """Finds a problem of the storage in the message of a program, such as git's."""
    lowered = text.lower()
    return next((sentence for words, sentence in _BY_TEXT.items() if words in lowered), None)


def storage_status(sentence: str) -> int:
    """The status of a response that gives this reason."""
    return 507 if sentence in (FULL, READ_ONLY) else 503


def find_storage_problem(folders: Iterable[Path]) -> str | None:
    """Tells in a word or two why files cannot be written to one of these folders now; None if they can."""
    for folder in folders:
        try:
            state = os.statvfs(folder)
            if state.f_bavail * state.f_frsize < MIN_FREE_BYTES:
                return "full"
            with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
                probe.write(b"\0" * _PROBE_BYTES)
        except OSError as error:
            return WORDS.get(storage_problem(error) or "", "not writable")
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
        understood = storage_problem(error) in (FULL, READ_ONLY) or type(error).__module__.startswith("mujina.")
        reason = None if understood else find_storage_error(folder)
        if reason is not None:
            raise reason from error
        raise


def find_storage_error(folder: Path) -> OSError | None:
    """The error of storage with which a write to the folder would fail now: after a program failed that does not say why."""
    number = _NUMBERS.get(find_storage_problem([folder]) or "")
    return None if number is None else OSError(number, os.strerror(number))


_NUMBERS = {"full": errno.ENOSPC, "read-only": errno.EROFS, "failing": errno.EIO, "not accessible": errno.EACCES}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
