"""Files that have no name until they are whole: a process that is killed while it writes one leaves nothing of it."""

import errno
import os
from pathlib import Path
from typing import BinaryIO, Final

_UNKNOWN: Final = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)


def open_unnamed(folder: Path) -> BinaryIO | None:
    """A new file in this folder, which is created; None where the system has no files without a name, such as NFS."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")
    except AttributeError:
        return None
    except OSError as error:
        if error.errno in _UNKNOWN:
            return None
        raise


def name(file: BinaryIO, path: Path) -> None:
    """Give the file its name, in the folder in which it was opened; a file that has it already is replaced at once."""
    file.flush()
    try:
        _link(file, path)
    except FileExistsError:
        draft = path.with_name(f"{path.name}#{file.fileno()}")
        draft.unlink(missing_ok=True)
        _link(file, draft)
        draft.replace(path)


def _link(file: BinaryIO, path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)  # without one, Python would link to the link in `/proc`
    try:
        os.link(f"/proc/self/fd/{file.fileno()}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
