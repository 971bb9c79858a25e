"""The program of any tree in a process of its own, on an empty database."""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.harness.databases import PostgresDatabases
from tests.harness.postgres_server import shared_server

TOKEN = "root-token-of-the-transcript"
PASSWORD = "password of the transcript"
_TESTING = {False: (), True: ("--testing",)}
_READY = re.compile(r"(http://127\.0\.0\.1:\d+)")


@contextmanager
def serving(tree: Path, python: Path, engine: str, *, testing: bool = False) -> Generator[str]:
    """The address of `mujina serve` as it is in `tree`; jobs run within the requests that enqueue them."""
    with tempfile.TemporaryDirectory(prefix="mujina-transcript-") as name:
        folder = Path(name)
        if engine == "postgres":
            with shared_server(folder) as server:
                databases = PostgresDatabases(server, "transcript")
                database = ["--database-url", databases.create()]
                with _process(tree, python, folder, *database, *_TESTING[testing]) as url:
                    yield url
        else:
            with _process(tree, python, folder, *_TESTING[testing]) as url:
                yield url


@contextmanager
def _process(tree: Path, python: Path, folder: Path, *flags: str) -> Generator[str]:
    log = folder / "log"
    command = [str(python), "-m", "mujina", "serve", "--data", str(folder / "data"), "--port", "0", "--ssh-port", "0",
               "--workers", "1", *flags]  # fmt: skip
    settings = {"JOBS": "inline", "ROOT_TOKEN": TOKEN, "ROOT_PASSWORD": PASSWORD, "PASSWORD_KILOBYTES": "64",
                "OUTBOUND_ALLOW": "127.0.0.1"}  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MUJINA_", "GIT_"))}
    environment |= {f"MUJINA_{name}": value for name, value in settings.items()} | {"TZ": "UTC"}
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )  # fmt: skip
    try:
        while not (found := _READY.search(log.read_text())):
            if process.poll() is not None:
                raise SystemExit(f"the server ended before it was ready:\n{log.read_text()}")
            time.sleep(0.02)
        yield found[1]
    finally:
        process.terminate()
        process.wait(60)
