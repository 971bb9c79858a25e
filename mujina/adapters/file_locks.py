"""Locked files that tell whether work is still under way: the kernel unlocks the file of a process that was killed."""

import contextlib
import fcntl
import os
import time
from collections.abc import Generator
from pathlib import Path
from secrets import token_hex

import msgspec


class FileLock(msgspec.Struct, frozen=True):
    """A locked file: programs that inherit `file` keep it locked until they have ended too."""

    name: str
    file: int


@contextlib.contextmanager
def locked_file(folder: Path) -> Generator[FileLock]:
    """A new file in this folder, locked while the block runs, or until this process and its programs are dead."""
    folder.mkdir(parents=True, exist_ok=True)
    name = token_hex(8)
    file = os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield FileLock(name, file)
    finally:
        (folder / name).unlink(missing_ok=True)
        os.close(file)


def is_locked(folder: Path, name: str) -> bool:
    """Whether the work is under way. The file of a process that is dead is removed."""
    locked = _refuses(folder / name, os.O_RDWR, fcntl.LOCK_EX)
    if not locked:
        (folder / name).unlink(missing_ok=True)
    return locked


def _refuses(path: Path, access: int, lock: int) -> bool:
    """Whether the file is there and another process keeps it from being locked like this."""
    try:
        file = os.open(path, access | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, lock | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


@contextlib.contextmanager
def locked_folder(folder: Path) -> Generator[None]:
    """The folder is locked while the block runs; `BlockingIOError` if another process has locked it."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


_BACKUP = "backup.lock"
"""The file in the data folder that `mujina backup` locks."""


_HOUSEKEEPING = "housekeeping"
"""The folder in the data folder whose locked files tell that unreachable objects are being pruned."""


class BackupRunning(Exception):
    """Another `mujina backup` copies this data folder."""


@contextlib.contextmanager
def backup_lock(data: Path) -> Generator[None]:
    """While the block runs, nothing that the database knew at its beginning is removed from the data folder."""
    file = os.open(data / _BACKUP, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        if os.geteuid() == 0:  # or the server could not ask whether it is locked
            os.fchown(file, data.stat().st_uid, data.stat().st_gid)
        for attempt in range(100):  # those who ask whether it is locked lock it themselves, for a moment
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt == 99:
                    raise BackupRunning from None
                time.sleep(0.01)
        while any(is_locked(data / _HOUSEKEEPING, path.name) for path in (data / _HOUSEKEEPING).glob("*")):
            time.sleep(0.1)
        yield
    finally:
        os.close(file)


@contextlib.contextmanager
def pruning(data: Path) -> Generator[bool]:
    """Whether unreachable objects may be removed: not during a backup, and one that begins meanwhile waits for the end."""
    with locked_file(data / _HOUSEKEEPING):
        yield not backup_is_running(data)


def backup_is_running(data: Path) -> bool:
    """Whether `mujina backup` copies this data folder: what it may not have read yet must stay."""
    return _refuses(data / _BACKUP, os.O_RDONLY, fcntl.LOCK_SH)
