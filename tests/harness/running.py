"""The real program in a separate process. Everything that it writes is searched for secrets."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.request import urlopen

from tests.harness import fork_server
from tests.harness.canaries import CANARIES, Canaries
from tests.harness.fork_server import ROOT, ForkedProgram

READY = re.compile(r"(http://127\.0\.0\.1:\d+)")
TOKEN = "root-token-of-tests"


@dataclass
class RunningServer:
    """`mujina serve` on a folder of its own. Starting it again after `kill` finds what was there."""

    data: Path
    database_url: str
    flags: tuple[str, ...] = ()
    port: int = 0
    """0: one that is free, another at each start."""
    wrapper: tuple[str, ...] = ()
    """A command that starts the program, such as `unshare`."""
    forked: bool = True
    """Whether it is forked from a process that has imported everything, or started by Python as users do."""
    environment: dict[str, str] = field(default_factory=dict[str, str])
    """Further settings."""
    token: str = TOKEN
    url: str = ""
    starts: int = 0
    process: subprocess.Popen[bytes] | ForkedProgram = field(init=False)
    canaries: Canaries = field(default_factory=Canaries)
    positions: dict[Path, int] = field(default_factory=dict[Path, int])
    """The position up to which each of its files has been searched."""

    running: ClassVar[list["RunningServer"]] = []
    """The servers that run now."""

    def start(self) -> None:
        """Returns when it answers, at `url`."""
        self.starts += 1
        log = self.data.with_suffix(f".{self.starts}.log")
        arguments = ("serve", "--data", str(self.data), "--port", str(self.port), *self.flags)
        environment = (
            {"MUJINA_PASSWORD_KILOBYTES": "64"}
            | os.environ
            | {
                "MUJINA_DATABASE_URL": self.database_url,
                "MUJINA_ROOT_TOKEN": TOKEN,
                "MUJINA_SSH_PORT": "0",
            }
            | self.environment
        )
        with log.open("w") as out:
            if self.wrapper or not self.forked:
                program = [sys.executable, "-m", "tests.harness.overheard", str(self._secrets)]
                self.process = subprocess.Popen(
                    [*self.wrapper, *program, *arguments],
                    cwd=ROOT,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
            else:
                self.process = fork_server.start(
                    "mujina", *arguments, environment=environment, out=out, err=out, secrets=self._secrets
                )
        self.running.append(self)
        while not (found := READY.search(log.read_text())):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended before it was ready:\n{log.read_text()}")
            time.sleep(0.02)
        self.url = found[1]

    def stop(self) -> int:
        """Stop it as an operator does, after the running requests have ended, and return its exit code."""
        self.process.terminate()
        code = self.process.wait(180)
        self._search_rest()
        return code

    def kill(self) -> None:
        """Kill all its processes at once, as a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._search_rest()

    def memory(self) -> float:
        """Megabytes of its process; what it shares with others counts in proportion (PSS)."""
        told = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return int(re.findall(r"^Pss:\s+(\d+) kB$", told, re.MULTILINE)[0]) / 1024

    def files_in_use(self, kind: str) -> list[int]:
        """The sizes of the stored files of this kind that its process has open: one that is being written has no name."""
        folder, sizes = self.data / "files" / kind, list[int]()
        for handle in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                if handle.readlink().is_relative_to(folder):
                    sizes.append(handle.stat().st_size)
        return sizes

    def search_output(self) -> None:
        """Search what it has written since the last call."""
        self.canaries.catch(self.token, "the operator's")
        self.canaries.catch_keys(self.data)
        for line in self._new_lines(self._secrets).decode().splitlines():
            self.canaries.catch(*json.loads(line))
        self.canaries.keep()
        for start in range(1, self.starts + 1):
            self._sweep("server", self._new_lines(self.data.with_suffix(f".{start}.log")))

    def sweep_metrics(self) -> None:
        """Search its metrics."""
        with urlopen(f"{self.url}/-/metrics", timeout=180) as answer:
            self._sweep("metrics", answer.read())

    def _sweep(self, place: str, output: bytes) -> None:
        for canaries in (CANARIES, self.canaries):
            canaries.sweep(place, output)
        CANARIES.leaks += self.canaries.settle()

    def _new_lines(self, path: Path) -> bytes:
        """The complete lines since the last call."""
        if not path.exists():
            return b""
        with path.open("rb") as file:
            file.seek(self.positions.get(path, 0))
            lines = file.read()
        lines = lines[: lines.rfind(b"\n") + 1]
        self.positions[path] = self.positions.get(path, 0) + len(lines)
        return lines

    def _search_rest(self) -> None:
        self.search_output()
        if self in self.running:
            self.running.remove(self)

    @property
    def _secrets(self) -> Path:
        """The file to which it writes the secrets that it creates."""
        return self.data.with_suffix(".secrets")


@contextmanager
def running(
    folder: Path, flags: tuple[str, ...] = (), wrapper: tuple[str, ...] = (), **environment: str
) -> Generator[RunningServer]:
    """The real program on a SQLite database in this folder."""
    url = f"sqlite:///{folder / 'mujina.db'}"
    server = RunningServer(folder / "data", url, flags, wrapper=wrapper, environment=environment)
    server.start()
    try:
        yield server
    finally:
        server.kill()
