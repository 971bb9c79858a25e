"""A server that is killed while it writes or reads an archive goes on after its restart, and leaves nothing behind."""

import io
import json
import os
import subprocess
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mujina.moving.archives.scratch import remove_old_scratch
from mujina.moving.project_archives.tasks import LONGEST_KEPT
from mujina.settings import Settings
from tests.harness.running import RunningServer
from tests.moving.world import admin
from tests.serve.wire import PATIENCE

ISSUES = 30
MOMENT = 0.005
"""Seconds between two looks at what a kill has to interrupt."""


def wait_for(happened: Callable[[], Any], what: str, pause: float = 0.1) -> Any:
    until = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < until, what
        time.sleep(pause)
    return found


def restart(server: RunningServer) -> None:
    server.kill()
    server.start()


def curl(server: RunningServer, path: str, *arguments: str) -> bytes:
    command = ["curl", "-sf", "-H", f"Private-Token: {server.token}", *arguments, f"{server.url}/api/v4{path}"]
    return subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout


def drafts(server: RunningServer) -> list[Path]:
    return list((server.data / "scratch").glob("archive-*"))


def stored(server: RunningServer) -> list[Path]:
    return [path for path in (server.data / "files" / "archives").rglob("*") if path.is_file()]


def content(server: RunningServer, project: int) -> list[tuple[str, list[str]]]:
    """The issues of a project with their comments."""
    instance, here = admin(server), f"/projects/{project}/issues"
    return [
        (each["title"], [note["body"] for note in instance.request("GET", f"{here}/{each['iid']}/notes?sort=asc")])
        for each in instance.request("GET", f"{here}?per_page=100&sort=asc")
    ]


def test_jobs_that_are_killed_half_way_are_done_again(running_server: RunningServer, tmp_path: Path):
    server, instance = running_server, admin(running_server)
    project = instance.request("POST", "/projects", name="x")["id"]
    here = f"/projects/{project}"
    for n in range(ISSUES):
        instance.request("POST", f"{here}/issues", title=f"Issue {n}")
        instance.request("POST", f"{here}/issues/{n + 1}/notes", body=f"Comment on {n}")
    instance.request("POST", f"{here}/export")
    wait_for(lambda: drafts(server), "no archive is written", MOMENT)
    restart(server)
    wait_for(
        lambda: admin(server).request("GET", f"{here}/export")["export_status"] == "finished", "no archive is finished"
    )
    archive = tmp_path / "archive.tar.gz"
    archive.write_bytes(curl(server, f"{here}/export/download"))
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as tar:
        assert tar.getnames()[0] == "archive.json"
    copy = json.loads(curl(server, "/projects/import", "-F", "path=copy", "-F", f"file=@{archive}"))["id"]
    wait_for(lambda: admin(server).request("GET", f"/projects/{copy}/issues"), "nothing is imported", MOMENT)
    restart(server)
    states = ("finished", "failed")
    wait_for(
        lambda: admin(server).request("GET", f"/projects/{copy}/import")["import_status"] in states, "no import ends"
    )
    assert content(server, copy) == content(server, project)
    wait_for(lambda: len(stored(server)) == 1, "a file of an archive is left")
    for folder in drafts(server):
        os.utime(folder, (0, 0))
    remove_old_scratch(Settings(data=server.data), LONGEST_KEPT)
    assert drafts(server) == []
