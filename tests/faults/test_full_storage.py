"""Full or read-only storage: every write gets a clear 507, reading goes on, nothing is half written, and service returns."""

import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.faults.code_changes import CHANGES, prepare_changes
from tests.harness.mounts import mounting
from tests.harness.running import RunningServer
from tests.serve.wire import eventually

MEGABYTES = 48
PACKAGE = "/api/v4/projects/1/packages/generic/a/1/f"
REQUEST = "/api/v4/projects/1/merge_requests/3"


class SmallDisk:
    """A server whose data folder is a small file system of its own, which only it and its children see."""

    job: dict[str, Any]
    """The job that a runner has taken."""

    def __init__(self, folder: Path, database: str) -> None:
        self.database = folder / database
        self.data = folder / "data"
        self.data.mkdir(mode=0o700)
        wrapper = mounting(f'mount -t tmpfs -o size={MEGABYTES}m,mode=700 tmpfs "{self.data}"')
        self.server = RunningServer(
            self.data, f"sqlite:///{folder}/{database}", flags=("--workers", "2"), wrapper=wrapper
        )
        self.server.start()
        self.inside = Path(f"/proc/{self.server.process.pid}/root{self.data}")

    def fill(self, leave: int = 0) -> None:
        state = os.statvfs(self.inside)
        with (self.inside / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            for _ in range(state.f_bfree * state.f_frsize // 4096 + 1 - leave // 4096):
                filler.write(b"\0" * 4096)

    def free(self) -> None:
        (self.inside / "filler").unlink()

    def remount(self, how: str) -> None:
        self.run("mount", "-o", f"remount,{how}", str(self.data))

    def run(self, *command: str) -> None:
        """Run a command that sees the file system as the server does."""
        user = () if os.getuid() == 0 else ("--user", "--preserve-credentials")
        subprocess.run(["nsenter", "--mount", *user, "--target", str(self.server.process.pid), *command], check=True)

    def processes(self) -> list[str]:
        pid = self.server.process.pid
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    def files(self) -> set[str]:
        # Unlike a glob, a walk takes it well when a folder goes away meanwhile.
        return {
            str(Path(folder, name).relative_to(self.inside))
            for folder, _, names in os.walk(self.inside)
            for name in names
        }

    def unfinished(self) -> list[str]:
        """What git has begun to write."""
        return [path for path in self.files() if any(name in path for name in ("tmp_objdir", "tmp_obj", "tmp_pack"))]

    def ask(self, verb: str, path: str, body: bytes | None = None, kind: str = "application/json", **more: str) -> Any:
        headers = {"Private-Token": self.server.token, "Content-Type": kind, **more}
        request = urllib.request.Request(self.server.url + path, body, headers, method=verb)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def post(self, path: str, **params: Any) -> Any:
        return self.ask("POST", f"/api/v4{path}", json.dumps(params).encode())


@pytest.fixture(scope="module", params=["full", "read-only"])
def how(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory, how: str) -> Iterator[SmallDisk]:
    # A file system with a file that is open for writing cannot be made read-only: SQLite's is elsewhere then.
    small = SmallDisk(tmp_path_factory.mktemp("small"), "data/mujina.db" if how == "full" else "mujina.db")
    status, _ = small.post("/projects", name="full", visibility="public", initialize_with_readme=True)
    assert status == 201
    assert commit(small, "first")[0] == 201
    take_job(small)
    prepare_changes(small.post)
    assert small.ask("PUT", PACKAGE, b"package", "application/octet-stream")[0] == 201
    yield small
    small.server.kill()


def commit(disk: SmallDisk, name: str, size: int = 200_000) -> tuple[int, str]:
    text = os.urandom(size // 2).hex()
    actions = [{"action": "create", "file_path": name, "content": text}]
    return disk.post("/projects/1/repository/commits", branch="master", commit_message="x", actions=actions)


def upload(disk: SmallDisk) -> tuple[int, str]:
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    body += os.urandom(300_000) + b"\r\n--x--\r\n"
    return disk.ask("POST", "/api/v4/projects/1/uploads", body, "multipart/form-data; boundary=x")


def take_job(disk: SmallDisk) -> None:
    """Let a runner take a job, which can store artifacts then."""
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": "a: {script: b}"}
    made = disk.post("/projects/1/repository/commits", branch="master", commit_message="x", actions=[action])
    assert made[0] == 201
    registration = json.loads(disk.ask("GET", "/api/v4/projects/1")[1])["runners_token"]
    runner = json.loads(disk.post("/runners", token=registration)[1])["token"]
    taken: list[str] = []
    eventually(
        lambda: [taken.append(text) for status, text in [disk.post("/jobs/request", token=runner)] if status == 201]
    )
    disk.job = json.loads(taken[0])


def artifact(disk: SmallDisk) -> tuple[int, str]:
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    body += os.urandom(300_000) + b"\r\n--x--\r\n"
    token = {"Job-Token": disk.job["token"]}
    return disk.ask(
        "POST", f"/api/v4/jobs/{disk.job['id']}/artifacts", body, "multipart/form-data; boundary=x", **token
    )


def trace(disk: SmallDisk) -> tuple[int, str]:
    """Send the trace of the job, from its beginning."""
    headers = {"Job-Token": disk.job["token"], "Content-Range": "0-"}
    return disk.ask("PATCH", f"/api/v4/jobs/{disk.job['id']}/trace", b"a line\n" * 40_000, "text/plain", **headers)


def lfs(disk: SmallDisk) -> tuple[int, str]:
    content = os.urandom(300_000)
    path = f"/root/full.git/gitlab-lfs/objects/{hashlib.sha256(content).hexdigest()}/{len(content)}"
    return disk.ask("PUT", path, content, "application/octet-stream", Authorization=basic(disk))


def basic(disk: SmallDisk) -> str:
    return "Basic " + b64encode(f"root:{disk.server.token}".encode()).decode()


def sign_in(disk: SmallDisk) -> str:
    """The cookie of a session that the next page would extend."""
    jar = HTTPCookieProcessor()
    browser = build_opener(jar)
    login = {"user[login]": "anna", "user[password]": "correct horse battery"}
    account = {"email": "a@example.org", "name": "Anna", "username": "anna", "skip_confirmation": True}
    assert disk.post("/users", password=login["user[password]"], **account)[0] == 201
    with browser.open(f"{disk.server.url}/users/sign_in") as page:
        token = re.search(r'name="authenticity_token" value="(\w+)"', page.read().decode())
    assert token is not None
    with suppress(HTTPError):  # the next page asks for a new password: an administrator chose this one
        browser.open(
            f"{disk.server.url}/users/sign_in", urlencode({**login, "authenticity_token": token[1]}).encode()
        ).close()
    run_sql(disk, "UPDATE sessions SET prolong_at = '2020-01-01T00:00:00.000Z'")
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar.cookiejar)


def run_sql(disk: SmallDisk, statement: str) -> None:
    """Bring about what no request can."""
    disk.run(sys.executable, "-c", f'import sqlite3; sqlite3.connect("{disk.database}").executescript("{statement}")')


def push(disk: SmallDisk, folder: Path, branch: str, size: int = 500_000) -> subprocess.CompletedProcess[str]:
    url = disk.server.url.replace("//", f"//root:{disk.server.token}@")
    (folder / f"{branch}.bin").write_bytes(os.urandom(size))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", branch)):
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    return subprocess.run(
        ["git", "push", f"{url}/root/full.git", f"HEAD:refs/heads/{branch}"],
        cwd=folder, env=environment, check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def ready(disk: SmallDisk) -> tuple[int, dict[str, str]]:
    status, body = disk.ask("GET", "/-/readiness")
    return status, json.loads(body)["checks"]


def try_to_write(disk: SmallDisk, how: str) -> dict[str, tuple[int, str]]:
    """The answers to requests that store something, by what they store."""
    answers = {
        "upload": upload(disk),
        "LFS": lfs(disk),
        "artifact": artifact(disk),
        "commit": commit(disk, f"in-{how}"),
    }
    answers |= {f"{verb} {path}": disk.ask(verb, path, body) for verb, path, body in CHANGES}
    for _ in range(40 if how == "full" else 0):  # SQLite first fills the pages of its log that are already there
        answers["issue"] = disk.post("/projects/1/issues", title="x", description="y" * 100_000)
        if answers["issue"][0] != 201:
            break
    return answers | ({"trace": trace(disk)} if how == "full" else {})


def test_writes_get_507_and_reads_go_on_until_there_is_room(disk: SmallDisk, tmp_path: Path, how: str):
    assert ready(disk) == (200, {"database": "ok", "storage": "ok"})
    session = sign_in(disk)
    # As after a push whose job has not run yet.
    run_sql(disk, "UPDATE merge_requests SET merge_status = 'unchecked', checked_pair = ''")
    before, processes = disk.files(), disk.processes()
    disk.fill() if how == "full" else disk.remount("ro")
    words = "storage is full" if how == "full" else "storage is read-only"
    try:
        status, checks = ready(disk)
        assert (status, checks["storage"]) == (503, how)
        answers = try_to_write(disk, how)
        for name, (status, text) in answers.items():
            assert (status, words in text) == (507, True), (name, status, text)
        pushed = push(disk, tmp_path, "while-broken")
        assert pushed.returncode != 0
        assert f"remote: The server's {words}." in pushed.stderr
        assert_readable(disk, how, session)
        assert disk.processes() == processes
    finally:
        disk.free() if how == "full" else disk.remount("rw")
    # Metrics are written every second: a draft that did not fit is replaced by the next one.
    expected = ("mujina.db", "repositories", "metrics")
    left = {path for path in disk.files() - before if not path.startswith(expected)}
    assert left == set()
    eventually(lambda: not disk.unfinished())
    eventually(lambda: ready(disk)[0] == 200)
    written = [upload(disk), lfs(disk), artifact(disk), commit(disk, f"after-{how}")]
    assert [status for status, _ in written] == [201, 200, 201, 201]
    assert disk.post("/projects/1/issues", title="after")[0] == 201
    report = {"token": disk.job["token"], "state": "success"}
    assert trace(disk)[0] == 202
    assert disk.ask("PUT", f"/api/v4/jobs/{disk.job['id']}", json.dumps(report).encode())[0] == 200
    assert json.loads(disk.ask("GET", f"/api/v4/projects/1/jobs/{disk.job['id']}")[1])["status"] == "success"
    again = push(disk, tmp_path, f"after-{how}")
    assert again.returncode == 0, again.stderr


def assert_readable(disk: SmallDisk, how: str, session: str) -> None:
    for path in ("/api/v4/projects/1", "/api/v4/projects/1/issues", "/api/v4/projects/1/repository/tree"):
        assert disk.ask("GET", path)[0] == 200
    # What a merge on trial finds out cannot be stored, unless the database is elsewhere.
    known = "unchecked" if how == "full" else "can_be_merged"
    for path in (REQUEST, f"{REQUEST}/approvals"):
        status, text = disk.ask("GET", path)
        assert (status, f'"merge_status":"{known}"' in text) == (200, True), text
    assert disk.ask("GET", "/root/full.git/info/refs?service=git-upload-pack", Authorization=basic(disk))[0] == 200
    if how == "full":  # the sessions are on the same disk
        assert disk.ask("GET", PACKAGE) == (200, "package")  # its first download, which cannot be recorded
        assert disk.ask("GET", "/profile/password/edit", Cookie=session)[0] == 200
        assert disk.ask("GET", "/root/full/merge_requests/3")[0] == 200


@pytest.mark.parametrize("how", ["full"], indirect=True)
def test_a_push_that_does_not_fit_is_refused_and_leaves_nothing(disk: SmallDisk, tmp_path: Path):
    disk.fill(leave=3_000_000)
    free = os.statvfs(disk.inside).f_bfree
    pushed = push(disk, tmp_path, "large", 6_000_000)
    assert pushed.returncode != 0
    assert "No space left on device" in pushed.stderr
    eventually(lambda: not disk.unfinished())
    # The database's own log grows meanwhile; a part of the push would take nearly everything.
    assert os.statvfs(disk.inside).f_bfree > free / 2
    disk.free()
    assert push(disk, tmp_path, "large", 6_000_000).returncode == 0
