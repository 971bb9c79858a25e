"""What `mujina doctor --fix` may change without asking: it removes nothing that may be needed."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from mujina.adapters.file_locks import locked_folder
from mujina.settings import Settings

OTHERS = 0o077
"""The rights of anybody but the owner."""
OF_AN_INSTANCE = ("mujina.db", "mujina.toml", "secrets")
"""What tells a data folder from any other."""


def fix_what_is_safe(settings: Settings) -> Iterator[str]:
    """Fix it, and say what was done."""
    yield from _close_to_others(settings)
    if file := settings.sqlite_file:
        yield from _remove_drafts(file)


def _close_to_others(settings: Settings) -> Iterator[str]:
    if not any((settings.data / name).exists() for name in OF_AN_INSTANCE):
        return  # it may be any folder, such as the one above that of the instance
    secrets = settings.data / "secrets"
    for path in (settings.data, secrets, *secrets.glob("*")):
        if path.exists() and (mode := path.stat().st_mode) & OTHERS:
            path.chmod(mode & ~OTHERS & 0o7777)
            yield f"{path} is closed to other users of this machine"


def _remove_drafts(file: Path) -> Iterator[str]:
    """Remove drafts. The next attempt rewrites them; a draft that is being written is locked and stays."""
    with suppress(apsw.Error), _locked_for_writing(file):
        yield from _removed(file.parent.glob(f"{file.name}.before-*.draft*"), "upgrade")
    with suppress(BlockingIOError), locked_folder(file.parent):
        yield from _removed(file.parent.glob(f"{file.name}.restored*"), "copy or restore")


@contextmanager
def _locked_for_writing(file: Path) -> Generator[None]:
    """No other process writes to the database, or upgrades it, while the block runs; `apsw.Error` if one does."""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


def _removed(drafts: Iterable[Path], work: str) -> Iterator[str]:
    for draft in drafts:
        draft.unlink()
        yield f"{draft} of an interrupted {work} is removed"
