"""The real program in a process of its own, for clients, transcripts and faults; whatever it writes is searched for secrets."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.request import urlopen

from tests.harness.canaries import CANARIES, Canaries

ROOT = Path(__file__).parents[2]
READY = re.compile(r"(http://127\.0\.0\.1:\d+)")
TOKEN = "root-token-of-tests"


@dataclass
class RunningServer:
    """`mujina serve` on a folder of its own. Starting it again after `kill` finds what was there."""

    data: Path
    database_url: str
    flags: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()
    """A command that starts the program, such as `unshare`."""
    token: str = TOKEN
    url: str = ""
    starts: int = 0
    process: subprocess.Popen[bytes] = field(init=False)
    canaries: Canaries = field(default_factory=Canaries)
    heard: dict[Path, int] = field(default_factory=dict[Path, int])
    """How far its files were read."""

    speaking: ClassVar[list["RunningServer"]] = []
    """Those that run."""

    def start(self) -> None:
        """Returns when it answers, at `url`."""
        self.starts += 1
        log = self.data.with_suffix(f".{self.starts}.log")
        overheard = [sys.executable, "-m", "tests.harness.overheard", str(self._secrets)]
        command = [*self.wrapper, *overheard, "serve", "--data", str(self.data), "--port", "0", *self.flags]
        environment = os.environ | {
            "MUJINA_DATABASE_URL": self.database_url,
            "MUJINA_ROOT_TOKEN": TOKEN,
            "MUJINA_SSH_PORT": "0",
        }
        with log.open("w") as out:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.speaking.append(self)
        while not (found := READY.search(log.read_text())):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended before it was ready:\n{log.read_text()}")
            time.sleep(0.02)
        self.url = found[1]

    def stop(self) -> int:
        """As an operator stops it: running requests end first. Its exit code."""
        self.process.terminate()
        code = self.process.wait(60)
        self._fall_silent()
        return code

    def kill(self) -> None:
        """As a power cut stops it: every process at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._fall_silent()

    def listen(self) -> None:
        """Search whatever it wrote since it was last listened to."""
        self.canaries.catch(self.token, "the operator's")
        self.canaries.catch_keys(self.data)
        for line in self._news(self._secrets).decode().splitlines():
            self.canaries.catch(*json.loads(line))
        self.canaries.keep()
        for start in range(1, self.starts + 1):
            self._sweep("server", self._news(self.data.with_suffix(f".{start}.log")))

    def sweep_metrics(self) -> None:
        """Search what it counted."""
        with urlopen(f"{self.url}/-/metrics", timeout=60) as answer:
            self._sweep("metrics", answer.read())

    def _sweep(self, place: str, output: bytes) -> None:
        for canaries in (CANARIES, self.canaries):
            canaries.sweep(place, output)
        CANARIES.leaks += self.canaries.settle()

    def _news(self, path: Path) -> bytes:
        """The lines that are new and whole."""
        if not path.exists():
            return b""
        with path.open("rb") as file:
            file.seek(self.heard.get(path, 0))
            news = file.read()
        news = news[: news.rfind(b"\n") + 1]
        self.heard[path] = self.heard.get(path, 0) + len(news)
        return news

    def _fall_silent(self) -> None:
        self.listen()
        if self in self.speaking:
            self.speaking.remove(self)

    @property
    def _secrets(self) -> Path:
        """Where it notes the secrets it makes."""
        return self.data.with_suffix(".secrets")
