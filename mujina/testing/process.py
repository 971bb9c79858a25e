"""The process of a server in the testing mode. This imports little: a suite starts the server before it imports a client."""

import os
import re
import subprocess
import sys
from pathlib import Path
from secrets import token_hex
from threading import Event, Thread
from typing import IO, Final, cast

STOP_SECONDS: Final = 20.0
_READY: Final = re.compile(r"^Mujina is ready at (\S+)", re.MULTILINE)
_SSH: Final = re.compile(r"^Git over SSH is served at (\S+)", re.MULTILINE)


class ServerProcess:
    """`mujina serve --testing`, which ends with this process, whatever ends that."""

    def __init__(self, data: Path | None = None, database_url: str | None = None) -> None:
        """Start it; its data is kept only in a folder that is given."""
        self.data, self.token = data, token_hex(20)
        flags = [*(["--data", str(data)] if data else []), *(["--database-url", database_url] if database_url else [])]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mujina", "serve", "--testing", "--stop-with-stdin", "--port", "0", "--ssh-port", "0", *flags],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "MUJINA_ROOT_TOKEN": self.token}, text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        self.log: list[str] = []
        """The lines that the server has written."""
        self._announced = Event()
        self.reader = Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            self.log.append(line)
            if _SSH.match(line):
                self._announced.set()
        self._announced.set()

    def addresses(self) -> tuple[str, str]:
        """The addresses of HTTP and of SSH, once the server is ready."""
        self._announced.wait()
        text = "".join(self.log)
        url, ssh_url = _READY.search(text), _SSH.search(text)
        if url is None or ssh_url is None:
            raise RuntimeError(f"the server ended before it was ready:\n{text}")
        return url[1], ssh_url[1]

    def stop(self) -> None:
        """End the server; its folder is removed unless it was named."""
        cast("IO[str]", self.process.stdin).close()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        cast("IO[str]", self.process.stdout).close()
