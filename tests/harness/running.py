"""The real program in a process of its own, for clients, transcripts and faults."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
READY = re.compile(r"(http://127\.0\.0\.1:\d+)")
TOKEN = "root-token-of-tests"


@dataclass
class RunningServer:
    """`mujina serve` on a folder of its own. Starting it again after `kill` finds what was there."""

    data: Path
    database_url: str
    flags: tuple[str, ...] = ()
    token: str = TOKEN
    url: str = ""
    starts: int = 0
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        """Returns when it answers, at `url`."""
        self.starts += 1
        log = self.data.with_suffix(f".{self.starts}.log")
        command = [sys.executable, "-m", "mujina", "serve", "--data", str(self.data), "--port", "0", *self.flags]
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
        while not (found := READY.search(log.read_text())):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended before it was ready:\n{log.read_text()}")
            time.sleep(0.02)
        self.url = found[1]

    def stop(self) -> int:
        """As an operator stops it: running requests end first. Its exit code."""
        self.process.terminate()
        return self.process.wait(60)

    def kill(self) -> None:
        """As a power cut stops it: every process at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
