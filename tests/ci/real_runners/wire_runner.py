"""Stands in for the family's own runner: started by `run --config config.toml`, it sends what that one was seen to send.

It asks for jobs, executes them by a shell, sends the trace in pieces whose range includes its end, repeats what was not
acknowledged, stops a job at `Job-Status: canceled` or 403, and ends with a report without the trace.
"""

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

INTERVAL = 0.5
"""Seconds between two requests. The family's own runner waits for three."""
BOUNDARY = "wire-runner"


class Server:
    """The API as runners use it."""

    def __init__(self, url: str) -> None:
        self.api = f"{url}/api/v4"

    def ask(self, verb: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any, bytes]:
        """The status, the headers and the body of the response; status 0 if there is none."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = Request(self.api + path, data, {"Content-Type": "application/json"} | names, method=verb)
        try:
            with urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except HTTPError as error:
            return error.code, error.headers, error.read()
        except (URLError, OSError):
            return 0, {}, b""


class Execution:
    """A job that the runner has taken."""

    def __init__(self, server: Server, payload: dict[str, Any], folder: Path) -> None:
        self.server, self.payload = server, payload
        self.path = f"/jobs/{payload['id']}"
        self.folder = folder / str(payload["id"])
        self.output, self.acknowledged = b"", 0
        self.process: subprocess.Popen[bytes] | None = None
        self.stopped, self.over = False, threading.Event()

    def run(self) -> None:
        """Execute the job, and report until everything was acknowledged."""
        reporting = threading.Thread(target=self.report_regularly)
        reporting.start()
        succeeded = self.execute()
        self.over.set()
        reporting.join()
        while self.acknowledged < len(self.output) and self.report():
            pass
        state = {"state": "success"} if succeeded else {"state": "failed", "failure_reason": "script_failure"}
        while not self.server.ask("PUT", self.path, {"token": self.payload["token"], **state})[0]:
            time.sleep(INTERVAL)

    def execute(self) -> bool:
        git = self.payload["git_info"]
        self.folder.mkdir(parents=True)
        succeeded = self.run_shell([f"git clone -q {git['repo_url']} .", f"git checkout -q {git['sha']}"])
        for job in self.payload["dependencies"] if succeeded else ():
            _, _, archive = self.server.ask("GET", f"/jobs/{job['id']}/artifacts", JOB_TOKEN=job["token"])
            zipfile.ZipFile(io.BytesIO(archive)).extractall(self.folder)
        for step in self.payload["steps"]:
            if (succeeded or step["when"] == "always") and not self.stopped:
                succeeded = (self.run_shell(step["script"]) or step["allow_failure"]) and succeeded
        return succeeded and not self.stopped and self.upload()

    def run_shell(self, lines: list[str]) -> bool:
        """Run the lines by a shell with the variables of the job; whether they succeeded."""
        script = "\n".join(["set -eo pipefail", *lines])
        variables = {each["key"]: each["value"] for each in self.payload["variables"]}
        self.process = subprocess.Popen(
            ["bash", "-c", script], cwd=self.folder, env={**os.environ, **variables, "CI_PROJECT_DIR": str(self.folder)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        with self.process as process:
            assert process.stdout is not None
            for line in process.stdout:
                self.output += line
        return process.returncode == 0

    def upload(self) -> bool:
        for each in self.payload["artifacts"]:
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w") as files:
                for path in (found for pattern in each["paths"] for found in self.folder.glob(pattern)):
                    files.write(path, path.relative_to(self.folder))
            head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="artifacts.zip"\r\n\r\n'
            body = head.encode() + archive.getvalue() + f"\r\n--{BOUNDARY}--\r\n".encode()
            kind = {"JOB_TOKEN": self.payload["token"], "Content_Type": f"multipart/form-data; boundary={BOUNDARY}"}
            if self.server.ask("POST", f"{self.path}/artifacts", body, **kind)[0] != 201:
                return False
        return True

    def report_regularly(self) -> None:
        while not self.over.wait(INTERVAL) and self.report():
            pass

    def report(self) -> bool:
        """Send what is new in the trace, or that nothing is; whether the job goes on."""
        token, start, piece = self.payload["token"], self.acknowledged, self.output[self.acknowledged :]
        if piece:
            status, headers, _ = self.server.ask(
                "PATCH", f"{self.path}/trace", piece, JOB_TOKEN=token, Content_Type="text/plain",
                Content_Range=f"{start}-{start + len(piece) - 1}",
            )  # fmt: skip
        else:
            status, headers, _ = self.server.ask("PUT", self.path, {"token": token, "state": "running"})
        if status in (202, 416):
            self.acknowledged = int(headers["Range"].partition("-")[2])
        if status == 403 or headers.get("Job-Status") in ("canceled", "failed"):
            self.stopped = True
            if self.process is not None:
                with suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)
        time.sleep(0 if status else INTERVAL)
        return not self.stopped


def main() -> None:
    config = tomllib.loads(Path(sys.argv[sys.argv.index("--config") + 1]).read_text())
    [runner] = config["runners"]
    server = Server(runner["url"])
    while True:
        status, _, body = server.ask("POST", "/jobs/request", {"token": runner["token"], "info": {"name": "wire"}})
        if status == 201:
            Execution(server, json.loads(body), Path(runner["builds_dir"])).run()
        else:
            time.sleep(INTERVAL)


if __name__ == "__main__":
    main()
