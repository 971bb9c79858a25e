"""Nothing waits for the disk: a test run does not survive a power cut, and a process that is killed loses nothing by it."""

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
FLUSHES = "TEST_FLUSHES"
"""The variable of a server that is started by Python and does wait for the disk, for tests of power cuts."""
ROOM = 8_000_000_000
"""Bytes that have to be free to keep the files of a run in memory: more than they take."""


def keep_files_in_memory() -> bool:
    """Whether temporary files of this process and those that it starts are in memory: where there is plenty, unless TMPDIR
    names a folder. On a disk, making and removing files and folders takes ten times as long."""
    if "TMPDIR" in os.environ or not _has_room():
        return False
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
    return True


def _has_room() -> bool:
    try:
        there = os.statvfs(MEMORY)
        memory = Path("/proc/meminfo").read_text()
    except OSError:
        return False
    available = int(memory.partition("MemAvailable:")[2].split()[0]) * 1024
    runs_programs = not there.f_flag & os.ST_NOEXEC
    return runs_programs and min(there.f_bavail * there.f_frsize, available) > ROOM and os.access(MEMORY, os.W_OK)


def skip_flushes() -> None:
    """Let this process and those that it starts write without waiting until the disk has it."""
    os.environ["GIT_TEST_FSYNC"] = "0"
    os.fsync = _leave
    if not os.environ.get("MUJINA_DATABASE_URL", "").startswith("postgres"):
        from mujina.kernel.db.sqlite import connection as apsw_connection

        apsw_connection._SETUP = apsw_connection._SETUP.replace("synchronous = FULL", "synchronous = OFF")


def _leave(_file: object) -> None:
    pass
