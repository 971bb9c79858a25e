"""A disk of its own for a server: ext4 in a file, by a loop device. Its power can be cut, and it can fail."""

import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

MEGABYTES = 96
SHUT_DOWN = 0x8004587D
"""FS_IOC_SHUTDOWN: from now on the file system answers every read, write and open with EIO."""
WITHOUT_WRITING = 2
TOOLS = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}


class LoopDisk:
    """A mounted ext4 file system whose image contains only what was synced: its own journal is written every 300 s."""

    def __init__(self, image: Path, folder: Path | None = None) -> None:
        """The new or existing image, mounted at the folder, or beside it."""
        self._image, self.folder = image, folder or image.with_suffix("")
        if not image.exists():
            with image.open("wb") as file:
                file.truncate(MEGABYTES * 1024 * 1024)
            _run("mkfs.ext4", "-q", "-F", str(image))
        self.folder.mkdir(parents=True, exist_ok=True)
        _run("mount", "-o", "loop,commit=300", str(image), str(self.folder))

    def cut(self, image: Path) -> None:
        """The image as a power cut at this moment would leave it."""
        _run("cp", "--sparse=always", str(self._image), str(image))

    def fail(self) -> None:
        """As a broken device does."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, SHUT_DOWN, struct.pack("I", WITHOUT_WRITING))
        finally:
            os.close(folder)

    def remove(self) -> None:
        # Lazily: a process that was killed may not have ended yet.
        _run("umount", "--lazy", str(self.folder))
        self._image.unlink()


def require_loop_disk() -> None:
    """Where the system gives us no such disk, the test fails with one sentence."""
    if refusal := why_no_loop_disk():
        pytest.fail(f"This test needs a disk of its own, by a loop device: {refusal}", pytrace=False)


@cache
def why_no_loop_disk() -> str | None:
    """In a sentence, why this machine gives us no such disk; None if it does."""
    if os.getuid() != 0:
        return "Only root may mount a loop device."
    if shutil.which("mkfs.ext4", path=TOOLS["PATH"]) is None:
        return "There is no mkfs.ext4 (e2fsprogs)."
    with tempfile.TemporaryDirectory() as folder:
        try:
            LoopDisk(Path(folder, "probe.img")).remove()
        except subprocess.CalledProcessError as error:
            return f"This machine does not mount a loop device: {error.stderr.strip()}"
    return None


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, env=TOOLS)
