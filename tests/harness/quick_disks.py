"""Nothing waits for the disk: a test run does not survive a power cut, and a process that is killed loses nothing by it."""

import os


def skip_flushes() -> None:
    """Let this process and those that it starts write without waiting until the disk has it."""
    os.environ["GIT_TEST_FSYNC"] = "0"
    os.fsync = _leave
    if not os.environ.get("MUJINA_DATABASE_URL", "").startswith("postgres"):
        from mujina.kernel.db import apsw_connection

        apsw_connection._SETUP = apsw_connection._SETUP.replace("synchronous = FULL", "synchronous = OFF")


def _leave(_file: object) -> None:
    pass
