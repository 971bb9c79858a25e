"""The data folder: private to its owner, and writable."""

import tempfile
from pathlib import Path

from mujina.cli.errors import CommandError


def make_data_folder(data: Path) -> None:
    """Ensure that the folder exists and is writable; a new one is readable to its owner only."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=data).close()
    except OSError as error:
        raise CommandError(
            f"The data folder {data} is not writable ({error.strerror}): "
            "give it to the user that runs Mujina, or choose another with --data."
        ) from None
