"""The copy of an SQLite database that an upgrade makes before it changes anything."""

import shutil
from pathlib import Path

import apsw
import msgspec

from mujina.kernel.build import VERSION
from mujina.kernel.db.errors import MigrationFailed
from mujina.kernel.storage.fsync import fsync_path

PAGES_AT_ONCE = 4_096
"""Pages that are copied between two looks at signals: 16 MB."""
ROOM = 2
"""Sizes of the database that have to be free: the copy, and a log of a revision that makes the largest tables anew."""


class UpgradeSnapshot(msgspec.Struct, frozen=True):
    """Where the copy will be, and the bytes that it and the upgrade need, and that are free."""

    path: Path
    size: int
    needed: int
    free: int


def plan_snapshot(file: Path) -> UpgradeSnapshot:
    """What an upgrade of this database would copy; nothing is written."""
    log = file.with_name(f"{file.name}-wal")
    size = file.stat().st_size + (log.stat().st_size if log.exists() else 0)
    path = file.with_name(f"{file.name}.before-{VERSION}")
    freed = sum(old.stat().st_size for old in _drafts(file))
    return UpgradeSnapshot(path=path, size=size, needed=ROOM * size, free=shutil.disk_usage(file.parent).free + freed)


def take_snapshot(file: Path) -> UpgradeSnapshot:
    """The copy is complete and durable, and those of former upgrades are removed; without enough room, nothing is touched.

    The caller holds the lock of writers, so that the copy is the state which the upgrade finds.
    """
    planned = plan_snapshot(file)
    if planned.free < planned.needed:
        raise MigrationFailed(
            f"The upgrade needs {megabytes(planned.needed)} free in {file.parent}, for a copy of the database and for its log, "
            f"and {megabytes(planned.free)} are: free some space, then start again. Nothing was changed."
        )
    for draft in _drafts(file):  # of an upgrade that was killed
        draft.unlink()
    draft = planned.path.with_name(f"{planned.path.name}.draft")
    _copy(file, draft)
    draft.replace(planned.path)
    fsync_path(file.parent)
    for old in file.parent.glob(f"{file.name}.before-*"):
        if old != planned.path:
            old.unlink()
    return planned


def megabytes(size: int) -> str:
    """A number of bytes as operators read it."""
    return f"{-(-size // 1_000_000):,} MB"


def _drafts(file: Path) -> list[Path]:
    return list(file.parent.glob(f"{file.name}.before-*.draft*"))


def _copy(file: Path, draft: Path) -> None:
    draft.touch(mode=0o600)
    source, target = apsw.Connection(str(file)), apsw.Connection(str(draft))
    try:
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(PAGES_AT_ONCE)
    finally:
        target.close()
        source.close()
