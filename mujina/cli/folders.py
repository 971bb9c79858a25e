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
        raise Trouble(
            f"The data folder {data} cannot be written to ({trouble.strerror}): "
            "give it to the user Mujina runs as, or choose another with --data."
        ) from None
