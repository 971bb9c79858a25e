"""What `mujina doctor --fix` may change without asking: it takes nothing away that anybody could need."""

from collections.abc import Iterator
from pathlib import Path

from mujina.cli.server_record import read_record
from mujina.settings import Settings

OTHERS = 0o077
"""The rights of anybody but the owner."""


def fix_what_is_safe(settings: Settings) -> Iterator[str]:
    """Fix it, and say what was done."""
    yield from _close_to_others(settings)
    record = read_record(settings.data)
    if record is None or not record.running:  # a copy or an upgrade is never under way beside a server
        yield from _remove_drafts(settings.sqlite_file)


def _close_to_others(settings: Settings) -> Iterator[str]:
    secrets = settings.data / "secrets"
    for path in (settings.data, secrets, *secrets.glob("*")):
        if path.exists() and (mode := path.stat().st_mode) & OTHERS:
            path.chmod(mode & ~OTHERS & 0o7777)
            yield f"{path} is closed to other users of this machine"


def _remove_drafts(file: Path | None) -> Iterator[str]:
    """A draft is written anew by the next attempt."""
    if file is None:
        return
    for pattern in (f"{file.name}.before-*.draft*", f"{file.name}.restored*"):
        for draft in file.parent.glob(pattern):
            draft.unlink()
            yield f"{draft} of an interrupted upgrade, copy or restore is removed"
