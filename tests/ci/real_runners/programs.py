"""Runners as their users start them, each in a folder of its own and with nothing of our environment."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

RUNNERS = Path(sys.prefix) / "runners" / "bin"
"""The environment of runners."""
WIRE = (sys.executable, str(Path(__file__).with_name("wire_runner.py")))
OF_THE_SHELL = {"PATH", "HOME", "LANG", "GIT_TERMINAL_PROMPT", "PWD", "SHLVL", "_", "CI_PROJECT_DIR"}
"""Variables that a job has in addition to those that the server sends."""
CONFIG = """\
concurrent = 1
check_interval = 1

[[runners]]
  name = "story"
  url = "{url}"
  token = "{token}"
  executor = "shell"
  builds_dir = "{folder}/builds"
  cache_dir = "{folder}/cache"
"""


class Program:
    """A program that is started in a folder, and what it prints."""

    adds: set[str] | None = OF_THE_SHELL
    """The variables that it adds to those that the server sends; None: any."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._processes: list[subprocess.Popen[bytes]] = []

    def popen(self, *command: str) -> subprocess.Popen[bytes]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "GIT_TERMINAL_PROMPT": "0",
        }
        with (self.folder / "output.log").open("ab") as output:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        self._processes.append(process)
        return process

    def run(self, *command: str) -> str:
        """Run a program of the environment of runners to its end: what it printed."""
        assert RUNNERS.exists(), "make .venv/runners/installed"
        process = self.popen(str(RUNNERS / "python"), *command)
        assert process.wait(180) == 0, self.output
        return self.output

    @property
    def output(self) -> str:
        return (self.folder / "output.log").read_text()

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


class PythonRunner(Program):
    """`gitlab-python-runner`. It asks every 40 seconds, so each job that is pending gets a process of its own."""

    def __init__(self, folder: Path, url: str, project: Any, *tags: str) -> None:
        super().__init__(folder)
        self._program = str(RUNNERS / "gitlab-runner.py")
        chosen = [word for tag in tags for word in ("--tag", tag)]
        token = f"--regtoken={project.runners_token}"  # in one word, because it may begin with a dash
        self.run(self._program, "--register", url, token, "--desc", "story", *chosen)

    def take_job(self) -> None:
        self._process = self.popen(str(RUNNERS / "python"), self._program, "--start", "gitlab-runner.yml", "--once")

    def end_job(self) -> None:
        """Wait until it has reported the end of the job."""
        self._process.wait(180)

    def unregister(self) -> None:
        self.run(self._program, "--unregister")


class FamilyRunner(Program):
    """The family's own runner, or a program that is called as it is. It asks for jobs all the time."""

    adds = None

    def __init__(self, command: tuple[str, ...], folder: Path, url: str, project: Any, *tags: str) -> None:
        super().__init__(folder)
        made = project.manager.gitlab.http_post("/user/runners", post_data={
            "runner_type": "project_type", "project_id": project.id, "description": "story", "tag_list": list(tags),
            "run_untagged": False,
        })  # fmt: skip
        self._token = made["token"]
        config = folder / "config.toml"
        config.write_text(CONFIG.format(url=url, token=self._token, folder=folder))
        self.popen(*command, "run", "--config", str(config), "--working-directory", str(folder))
        self._client = project.manager.gitlab

    def take_job(self) -> None:
        pass

    def end_job(self) -> None:
        pass

    def unregister(self) -> None:
        self.stop()
        self._client.http_delete("/runners", query_data={"token": self._token})
