"""Where backups are kept: a folder, or a bucket that a URL names. A name that exists has its whole content."""

import fcntl
import os
import re
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, Protocol

from mujina.backups.buckets import explained, list_bucket, open_bucket, retry_truncated
from mujina.backups.errors import BackupError, CredentialsRefused
from mujina.kernel import deferred_imports
from mujina.kernel.storage.fsync import fsync_folders

_URL: Final = re.compile(r"(s3|gs|az)://.+")
IN_USE: Final = "Another `mujina backup` is writing to {}: run this again when it has ended."
READ: Final = (
    "The new set in {} is complete, but no older one was removed, because `mujina restore` or `mujina backup verify` reads "
    "there: the next backup with --keep removes them."
)
REMOVED: Final = "`mujina backup` is removing old sets from {}: run this again when it has ended."
HEADER: Final = "mujina-backup"
"""The name that every target has; its content is never replaced."""
LOCK: Final = "lock"
DRAFT: Final = ".draft-"
"""Begins the name of a file that is being written."""
LOCKS: Final = "locks/"
REFRESH_SECONDS: Final = 60
STALE_SECONDS: Final = 600
"""The lock in a bucket of a process that was killed is ignored when it is this old."""


class BackupTarget(Protocol):
    """A store of named bytes. `str(target)` names it in messages."""

    def put(self, name: str, data: bytes) -> None:
        """Store the bytes atomically; they are durable after `sync`."""
        ...

    def get(self, name: str) -> bytes | None:
        """The bytes; None if there is no such name."""
        ...

    def sizes(self, prefix: str) -> dict[str, int]:
        """The names below the prefix, without it, and the size of each."""
        ...

    def remove(self, name: str) -> None:
        """Remove the name, if it exists."""
        ...

    def sync(self) -> None:
        """Wait until everything that was put is durable."""
        ...

    def is_empty(self) -> bool:
        """Whether there is nothing, so that a backup may begin here."""
        ...

    def locked(self) -> AbstractContextManager[None]:
        """A context in which no other process writes; `BackupError` if one does."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """A context in which no set is removed; `BackupError` if a process is removing some."""
        ...

    def removing(self) -> AbstractContextManager[None]:
        """A context in which no process reads a set; `BackupError` if one does."""
        ...


def open_target(name: str) -> BackupTarget:
    """The target of this name: the path of a folder, or `s3://…`, `gs://…`, `az://…`."""
    if _URL.fullmatch(name):
        return BucketTarget(name)
    if "://" in name:
        raise BackupError(f"{name} is neither a folder nor an address such as s3://BUCKET/PREFIX.")
    return FolderTarget(Path(name).absolute())


class FolderTarget:
    """A folder that only its owner can read."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders = set[Path]()

    def __str__(self) -> str:
        return str(self._root)

    def put(self, name: str, data: bytes) -> None:
        path = self._root / name
        self._make(path.parent)
        draft = path.with_name(f"{DRAFT}{token_hex(8)}")
        draft.touch(mode=0o600)
        try:
            with draft.open(
                "wb"
            ) as file:  # buffered: a single write to a disk that is nearly full may store a part of it
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        self._folders.update((path.parent, path.parent.parent, self._root, self._root.parent))

    def get(self, name: str) -> bytes | None:
        try:
            return (self._root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def sizes(self, prefix: str) -> dict[str, int]:
        root = str(self._root / prefix)
        paths = [
            f"{folder}/{name}" for folder, _, names in os.walk(root) for name in names if not name.startswith(DRAFT)
        ]
        # A target has thousands of parts.
        return {path[len(root) + 1 :]: os.stat(path).st_size for path in paths}  # noqa: PTH116

    def remove(self, name: str) -> None:
        (self._root / name).unlink(missing_ok=True)

    def sync(self) -> None:
        fsync_folders(self._folders)

    def is_empty(self) -> bool:
        return not self._root.is_dir() or all(
            entry.name == LOCK or entry.name.startswith(DRAFT) for entry in self._root.iterdir()
        )

    @contextmanager
    def locked(self) -> Generator[None]:
        self._make(self._root)
        with self._flock(LOCK, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX, IN_USE):
            self._remove_drafts()
            yield

    def reading(self) -> AbstractContextManager[None]:
        return self._flock(HEADER, os.O_RDONLY, fcntl.LOCK_SH, REMOVED)  # also on a disk that is mounted read-only

    def removing(self) -> AbstractContextManager[None]:
        return self._flock(HEADER, os.O_RDWR, fcntl.LOCK_EX, READ)

    @contextmanager
    def _flock(self, name: str, flags: int, kind: int, refusal: str) -> Generator[None]:
        handle = os.open(self._root / name, flags | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupError(refusal.format(self)) from None
            yield
        finally:
            os.close(handle)

    def _make(self, folder: Path) -> None:
        """Each folder on the way below the root is the owner's alone, too."""
        if folder != self._root and not folder.parent.is_dir():
            self._make(folder.parent)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _remove_drafts(self) -> None:
        """Remove what a process that was killed had not written to its end."""
        for draft in self._root.rglob(f"{DRAFT}*"):
            draft.unlink(missing_ok=True)


class BucketTarget:
    """Object storage, with the credentials of the environment (`AWS_…`), as for `storage_url`."""

    def __init__(self, url: str) -> None:
        self._url, self._store = url, open_bucket(url)

    def __str__(self) -> str:
        return self._url

    def put(self, name: str, data: bytes) -> None:
        with explained(self._url):
            deferred_imports.obstore().put(self._store, name, data)

    def get(self, name: str) -> bytes | None:
        with explained(self._url), suppress(FileNotFoundError):
            return retry_truncated(lambda: bytes(deferred_imports.obstore().get(self._store, name).bytes()))
        return None

    def sizes(self, prefix: str) -> dict[str, int]:
        return {name.removeprefix(prefix): found["size"] for name, found in self._list(prefix).items()}

    def remove(self, name: str) -> None:
        with explained(self._url), suppress(FileNotFoundError):
            retry_truncated(lambda: deferred_imports.obstore().delete(self._store, name))

    def sync(self) -> None:
        """What a bucket has confirmed is durable."""

    def is_empty(self) -> bool:
        return not [name for name in self._list("") if not name.startswith(LOCKS)]

    @contextmanager
    def locked(self) -> Generator[None]:
        with self._lock("write", "write", IN_USE):
            yield

    @contextmanager
    def reading(self) -> Generator[None]:
        with ExitStack() as stack:
            with suppress(CredentialsRefused):  # they may only read: no other process sees this one
                stack.enter_context(self._lock("read", "remove", REMOVED))
            yield

    @contextmanager
    def removing(self) -> Generator[None]:
        with self._lock("remove", "read", READ):
            yield

    @contextmanager
    def _lock(self, kind: str, against: str, refusal: str) -> Generator[None]:
        """Each process writes a name of its own and then lists all: of two at once, at least one sees the other."""
        own = f"{LOCKS}{kind}-{token_hex(8)}"
        self.put(own, b"")
        ended = threading.Event()
        refresher = threading.Thread(target=self._refresh, args=(own, ended), daemon=True)
        try:
            locks = self._list(LOCKS)
            now = locks.pop(own)["last_modified"].timestamp()  # by the clock of the bucket, as the others
            if any(
                now - lock["last_modified"].timestamp() < STALE_SECONDS
                for name, lock in locks.items()
                if name.startswith(f"{LOCKS}{against}-")
            ):
                raise BackupError(refusal.format(self))
            refresher.start()
            yield
        finally:
            ended.set()
            with suppress(BackupError):  # or the set is complete, and only its lock stays until it is old
                self.remove(own)

    def _refresh(self, own: str, ended: threading.Event) -> None:
        while not ended.wait(REFRESH_SECONDS):
            with suppress(BackupError):  # the store is away: parts meet the same error, or it is back in time
                self.put(own, b"")

    def _list(self, prefix: str) -> dict[str, Any]:
        with explained(self._url):
            return list_bucket(self._store, prefix)
