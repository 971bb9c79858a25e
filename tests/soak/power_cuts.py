"""Power cuts: whatever was answered is there when the machine is back, also if the database is on another disk.

After each change the server is stopped where it is, and the image of its disk is copied: it contains what was synced.
A server that starts on the copy has to know the change and all that came before it.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from tests.harness.loop_disk import LoopDisk, why_no_loop_disk
from tests.harness.quick_disks import FLUSHES
from tests.harness.running import RunningServer
from tests.soak.figures import Figure, progress

Holds = Callable[["Instance"], bool]
Change = Callable[["Instance"], Holds]
"""Makes a change, and returns whether a later instance knows it."""
LFS = b"a large file"
LFS_PATH = f"/root/first.git/gitlab-lfs/objects/{hashlib.sha256(LFS).hexdigest()}/{len(LFS)}"
REPOSITORIES = ("first", "first.wiki", "pushed", "fork", "imported")
PATIENCE_SECONDS = 60


class Instance(NamedTuple):
    """A running server and a place for clones."""

    server: RunningServer
    home: Path

    def ask(self, verb: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """The body of a successful answer; empty if it was refused."""
        basic = b64encode(f"root:{self.server.token}".encode()).decode()
        credential = (
            {"Private-Token": self.server.token} if path.startswith("/api/") else {"Authorization": f"Basic {basic}"}
        )
        request = Request(self.server.url + path, body, {"Content-Type": kind, **credential}, method=verb)
        try:
            with urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.read()
        except HTTPError as error:
            progress("power", f"{verb} {path}: {error.code} {error.read()[:200]!r}")
            return b""

    def api(self, verb: str, path: str, /, **params: Any) -> Any:
        return json.loads(self.ask(verb, f"/api/v4{path}", json.dumps(params).encode() if params else None) or b"null")

    def git(self, *arguments: str) -> str:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.home, env=environment, check=False, capture_output=True, text=True
        )
        return done.stdout.strip()

    def url(self, path: str) -> str:
        return f"{self.server.url.replace('//', f'//root:{self.server.token}@')}/root/{path}.git"

    def refs(self, path: str) -> dict[str, str]:
        """What `git ls-remote` shows: HEAD and all refs."""
        lines = [line.split("\t") for line in self.git("ls-remote", self.url(path)).splitlines()]
        return {ref: tip for tip, ref in lines}

    def default_branch(self, path: str) -> str:
        return self.git("ls-remote", "--symref", self.url(path), "HEAD").partition("\t")[0].rpartition("/")[2]


def create(instance: Instance) -> Holds:
    instance.api("POST", "/projects", name="first", initialize_with_readme=True, visibility="public")
    tip = instance.api("GET", "/projects/1/repository/commits")[0]["id"]
    return lambda later: later.api("GET", f"/projects/1/repository/commits/{tip}") is not None


def write_wiki(instance: Instance) -> Holds:
    instance.api("POST", "/projects/1/wikis", title="home", content="written")
    return lambda later: later.api("GET", "/projects/1/wikis/home")["content"] == "written"


def push(instance: Instance) -> Holds:
    instance.git("init", "-q", "-b", "master", "work")
    instance.git("-C", "work", "commit", "-q", "--allow-empty", "-m", "pushed")
    instance.git("-C", "work", "push", "-q", instance.url("pushed"), "master", "master:topics/one")
    return lambda later: "HEAD" in later.refs("pushed")


def fork(instance: Instance) -> Holds:
    return _copied(instance, "fork", instance.api("POST", "/projects/1/fork", path="fork", name="fork"))


def fetch(instance: Instance) -> Holds:
    created = instance.api("POST", "/projects", name="imported", import_url=instance.url("first"))
    return _copied(instance, "imported", created)


def _copied(instance: Instance, path: str, project: Any) -> Holds:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while instance.api("GET", f"/projects/{project['id']}")["import_status"] != "finished":
        assert time.monotonic() < deadline, f"{path} was not copied"
        time.sleep(0.05)
    return lambda later: "HEAD" in later.refs(path)


def commit(instance: Instance) -> Holds:
    actions = [{"action": "create", "file_path": "a/b", "content": "new"}]
    new = {"branch": "a/topic", "start_branch": "master", "commit_message": "x", "actions": actions}
    instance.api("POST", "/projects/1/repository/commits", **new)
    return lambda later: later.ask("GET", "/api/v4/projects/1/repository/files/a%2Fb/raw?ref=a/topic") == b"new"


def merge(instance: Instance) -> Holds:
    instance.api("POST", "/projects/1/merge_requests", source_branch="a/topic", target_branch="master", title="x")
    merged = instance.api("PUT", "/projects/1/merge_requests/1/merge")["merge_commit_sha"]
    return lambda later: later.refs("first")["refs/heads/master"] == merged


def tag(instance: Instance) -> Holds:
    instance.api("POST", "/projects/1/repository/tags", tag_name="v1", ref="master", message="annotated")
    return lambda later: "refs/tags/v1^{}" in later.refs("first")


def change_default_branch(instance: Instance) -> Holds:
    instance.api("PUT", "/projects/1", default_branch="a/topic")
    return lambda later: later.default_branch("first") == "topic"


def delete_branch(instance: Instance) -> Holds:
    instance.ask("DELETE", f"/api/v4/projects/2/repository/branches/{quote('topics/one', safe='')}")
    return lambda later: "refs/heads/topics/one" not in later.refs("pushed")


def upload(instance: Instance) -> Holds:
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nuploaded\r\n--x--\r\n'
    answer = instance.ask("POST", "/api/v4/projects/1/uploads", body, "multipart/form-data; boundary=x")
    path = f"/root/first{json.loads(answer)['url']}"
    instance.ask("PUT", LFS_PATH, LFS, "application/octet-stream")
    lfs = LFS_PATH.rpartition("/")[0]
    return lambda later: later.ask("GET", path) == b"uploaded" and later.ask("GET", lfs) == LFS


CHANGES = (
    create, write_wiki, push, fork, fetch, commit, merge, tag, change_default_branch, delete_branch, upload
)  # fmt: skip


class Machine:
    """A server whose data folder is a disk of its own; its database is on that disk, or on another that has power."""

    def __init__(self, place: Path, database: Path) -> None:
        self.disk = LoopDisk(place / "disk.img")
        self._place, self._database = place, database
        self.instance = _instance(self.disk.folder, database)
        self.cuts = 0

    def lose_power(self) -> tuple[Path, Path]:
        """The image and the database that a power cut at this moment leaves."""
        self.cuts += 1
        image, database = self._place / f"cut-{self.cuts}.img", self._place / f"cut-{self.cuts}.db"
        os.killpg(self.instance.server.process.pid, signal.SIGSTOP)
        try:
            self.disk.cut(image)
            for suffix in ("", "-wal"):
                if not self._database.is_relative_to(self.disk.folder):
                    shutil.copy(f"{self._database}{suffix}", f"{database}{suffix}")
        finally:
            os.killpg(self.instance.server.process.pid, signal.SIGCONT)
        return image, database

    def close(self) -> None:
        self.instance.server.kill()
        self.disk.remove()


@contextmanager
def _restarted(image: Path, database: Path) -> Generator[Instance]:
    disk = LoopDisk(image)
    inside = disk.folder / "data" / "mujina.db"
    instance = _instance(disk.folder, database if database.exists() else inside)
    try:
        yield instance
    finally:
        instance.server.kill()
        disk.remove()


def _instance(disk: Path, database: Path) -> Instance:
    home = disk.with_name(f"{disk.name}-home")
    home.mkdir()
    environment = {"MUJINA_OUTBOUND_ALLOW": "127.0.0.1", FLUSHES: "yes"}
    server = RunningServer(disk / "data", f"sqlite:///{database}", forked=False, environment=environment)
    server.start()
    return Instance(server, home)


def lost_changes(
    place: Path, changes: Sequence[Change], cut_after: Container[Change], *, other_disk: bool
) -> list[str]:
    """Make the changes, cut the power after some of them, and name those that a later start does not know."""
    machine = Machine(place, place / "mujina.db" if other_disk else place / "disk" / "data" / "mujina.db")
    answered: list[tuple[str, Holds]] = []
    lost: list[str] = []
    try:
        for change in changes:
            answered.append((change.__name__, change(machine.instance)))
            if change not in cut_after:
                continue
            refs = {path: machine.instance.refs(path) for path in REPOSITORIES}
            with _restarted(*machine.lose_power()) as later:
                gone = [f"refs of {path}" for path in REPOSITORIES if later.refs(path) != refs[path]]
                gone += [name for name, holds in answered if not holds(later)]
            lost += [f"{name}, cut after {change.__name__}" for name in gone]
    finally:
        machine.close()
    return lost


def cut_power(place: Path) -> list[Figure]:
    """The figures of `make soak`."""
    if problem := why_no_loop_disk():
        progress("power", f"not measured. {problem}")
        return [Figure("sqlite", "answered changes lost by power cuts", f"not measured: {problem}", "0", met=False)]
    figures: list[Figure] = []
    for other_disk in (False, True):
        where = "on another disk" if other_disk else "on the same disk"
        folder = place / where.replace(" ", "-")
        folder.mkdir()
        lost = lost_changes(folder, CHANGES, CHANGES, other_disk=other_disk)
        for each in lost:
            progress("power", f"lost: {each}")
        measured = f"answered changes lost by {len(CHANGES)} power cuts, the database {where}"
        figures.append(Figure("sqlite", measured, str(len(lost)), "0", met=not lost))
    return figures
