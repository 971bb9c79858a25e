"""A disk that fails: what needs it gets a clear 503, never 500, the rest goes on, and readiness tells the truth."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.faults.code_changes import CHANGES, PROJECT, prepare_changes
from tests.harness.loop_disk import LoopDisk, require_loop_disk
from tests.harness.running import RunningServer

CONTENT = b"a large file"
LFS = f"/root/code.git/gitlab-lfs/objects/{hashlib.sha256(CONTENT).hexdigest()}"
SENTENCE = "The server's storage reports errors."
READS = [
    PROJECT + path
    for path in (
        "/repository/tree", "/repository/commits", "/repository/branches", "/repository/tags", "/wikis",
        "/repository/archive.tar.gz", "/repository/files/of-master/raw?ref=master", "/repository/contributors",
        "/repository/compare?from=master&to=merged", "/search?scope=blobs&search=x", "/merge_requests/1/changes",
    )
]  # fmt: skip
CLONE, PUSH = (f"/root/code.git/info/refs?service=git-{name}" for name in ("upload-pack", "receive-pack"))

FETCH, LIST_REFS = "/root/code.git/git-upload-pack", b"0014command=ls-refs\n0000"


def kind_of(path: str) -> str:
    return "application/x-git-upload-pack-request" if path == FETCH else "application/json"


class Machine:
    """A server with one folder on a disk of its own: the repositories, the files, or the database."""

    def __init__(self, folder: Path, where: str) -> None:
        data = folder / "data"
        self.disk = LoopDisk(folder / "disk.img", folder / where)
        (folder / "database").mkdir(exist_ok=True)
        self.server = RunningServer(data, f"sqlite:///{folder}/database/mujina.db")
        self.server.start()

    def ask(self, verb: str, path: str, body: bytes | None = None, kind: str = "application/json") -> tuple[int, str]:
        basic = b64encode(f"root:{self.server.token}".encode()).decode()
        credential = {"Authorization": f"Basic {basic}"} if ".git/" in path else {"Private-Token": self.server.token}
        headers = {"Content-Type": kind, "Git-Protocol": "version=2" if path == FETCH else "", **credential}
        try:
            answer = urlopen(Request(self.server.url + path, body, headers, method=verb), timeout=60)
        except HTTPError as error:
            return error.code, error.read().decode("utf-8", "replace")
        assert isinstance(answer, HTTPResponse)
        with answer:
            return answer.status, answer.read().decode("utf-8", "replace")

    def post(self, path: str, **params: object) -> tuple[int, str]:
        return self.ask("POST", f"/api/v4{path}", json.dumps(params).encode())

    def upload(self) -> tuple[int, str]:
        body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--x--\r\n'
        return self.ask("POST", f"{PROJECT}/uploads", body, "multipart/form-data; boundary=x")

    def checks(self) -> tuple[int, dict[str, str]]:
        status, text = self.ask("GET", "/-/readiness")
        return status, json.loads(text)["checks"]


@pytest.fixture(params=["data/repositories", "data/files", "database"])
def where(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def machine(tmp_path: Path, where: str) -> Iterator[Machine]:
    require_loop_disk()
    made = Machine(tmp_path, where)
    try:
        yield made
    finally:
        made.server.kill()
        made.disk.remove()


def test_requests_that_need_a_failing_disk_get_503_and_readiness_fails(machine: Machine, where: str):
    assert machine.post("/projects", name="code", initialize_with_readme=True, visibility="public")[0] == 201
    prepare_changes(machine.post)
    uploaded = json.loads(machine.upload()[1])["url"]
    assert machine.ask("PUT", f"{LFS}/{len(CONTENT)}", CONTENT, "application/octet-stream")[0] == 200
    assert machine.checks() == (200, {"database": "ok", "storage": "ok"})
    machine.disk.fail()
    status, checks = machine.checks()
    assert (status, checks["storage"]) == (503, "failing")
    assert checks["database"] == ("failing" if where == "database" else "ok")
    code = [*CHANGES, *(("GET", path, None) for path in (*READS, CLONE, PUSH)), ("POST", FETCH, LIST_REFS)]
    answers = {f"{verb} {path}": machine.ask(verb, path, body, kind_of(path)) for verb, path, body in code}
    files = {path: machine.ask("GET", path) for path in (f"/root/code{uploaded}", LFS)} | {"upload": machine.upload()}
    healthy, failing = {
        "data/repositories": (files, answers), "data/files": (answers, files), "database": ({}, answers | files),
    }[where]  # fmt: skip
    if where == "database":
        # What SQLite has mapped is read without the disk.
        changing = {f"{verb} {path}" for verb, path, _ in CHANGES if verb != "GET"} | {"upload"}
        failing = {name: answer for name, answer in failing.items() if name in changing or answer[0] != 200}
    assert {name: answer for name, answer in failing.items() if answer[0] != 503 or SENTENCE not in answer[1]} == {}
    assert {name: answer for name, answer in healthy.items() if answer[0] >= 500} == {}
