"""The data folder: ours alone, and writable."""

import tempfile
from pathlib import Path

from mujina.cli.trouble import Trouble


def make_data_folder(data: Path) -> None:
    """The folder is there, readable to its owner only if we made it, and can be written to."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=data).close()
    except OSError as trouble:
        raise _cannot_write(data, trouble) from None


def check_can_be_made(data: Path) -> None:
    """The folder is not there yet; the one above all that is missing can be written to, and is left as it was."""
    above = next(folder for folder in data.parents if folder.exists())
    try:
        tempfile.TemporaryFile(dir=above).close()
    except OSError as trouble:
        raise _cannot_write(data, trouble) from None


def _cannot_write(data: Path, trouble: OSError) -> Trouble:
    return Trouble(
        f"The data folder {data} cannot be written to ({trouble.strerror}): "
        "give it to the user Mujina runs as, or choose another with --data."
    )
