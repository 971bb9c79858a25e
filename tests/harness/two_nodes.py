"""A primary and a secondary: two PostgreSQL servers in streaming replication, and a Mujina on each."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mujina.adapters.git.git import EMPTY
from mujina.adapters.storage_marker import MARKER
from tests.cli.command import mujina
from tests.harness.encoding import BOUNDARY, multipart
from tests.harness.postgres_server import OwnServer, ReplicaServer
from tests.harness.running import TOKEN, RunningServer
from tests.harness.tls_front import TlsFront

SECONDARY_URL = "http://secondary.test/"


class Reply:
    """A response over a real connection."""

    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        """None: the redirect itself is the response."""


class Node:
    """One Mujina with its database."""

    def __init__(self, home: Path, name: str, database: OwnServer, workers: int = 1, **environment: str) -> None:
        self.database = database
        self.data = home / name
        self.server = RunningServer(self.data, database.url, flags=("--workers", str(workers)), environment=environment)

    def run(self, *arguments: str) -> Any:
        """A command on this machine."""
        place = {"MUJINA_DATA": str(self.data), "MUJINA_DATABASE_URL": self.database.url}
        return mujina(*arguments, **place, **self.server.environment)

    def ask(self, method: str, path: str, /, token: str | None = TOKEN, **params: Any) -> Reply:
        """A request of the API; as the administrator by default."""
        files = {name: value for name, value in params.items() if isinstance(value, tuple)}
        headers = {} if token is None else {"Private-Token": token}
        body = None
        if files:
            body = multipart({}, **files)
            headers["Content-Type"] = f"multipart/form-data; boundary={BOUNDARY}"
        elif params:
            body, headers["Content-Type"] = json.dumps(params).encode(), "application/json"
        return self.send(method, f"/api/v4{path}", body, headers)

    def send(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        """Redirects are not followed."""
        request = Request(f"{self.server.url}{path}", body, headers or {}, method=method)
        try:
            with build_opener(_NoRedirects).open(request, timeout=180) as answer:
                return Reply(answer.status, answer.headers, answer.read())
        except HTTPError as error:
            return Reply(error.code, error.headers, error.read())

    def git(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder), "PATH": "/usr/bin:/bin",
            "GIT_TERMINAL_PROMPT": "0", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_SSH_COMMAND": f"ssh -F none -i {folder.parent / 'key'} -o StrictHostKeyChecking=no"
            " -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes",
        }  # fmt: skip
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    def address(self, path: str) -> str:
        """The URL of a repository, with the administrator's credential."""
        return f"{self.server.url.replace('//', f'//root:{TOKEN}@')}/{path}.git"

    def ssh_address(self, path: str) -> str:
        """The URL of a repository over SSH."""
        log = self.data.with_suffix(f".{self.server.starts}.log").read_text()
        found = re.search(r"ssh://git@[\d.]+:\d+", log)
        assert found is not None, log
        return f"{found[0]}/{path}.git"

    def refs(self) -> dict[str, str]:
        """All refs of all repositories in the data folder, by the folder of the repository."""
        root = self.data / "repositories"
        found: dict[str, str] = {}
        for place in self.repositories():
            listed = subprocess.run(
                ["git", "--git-dir", str(place), "for-each-ref"], capture_output=True, text=True, check=False
            )
            with suppress(FileNotFoundError):  # it may be removed meanwhile
                if listed.stdout:
                    found[str(place.relative_to(root))] = listed.stdout + (place / "HEAD").read_text()
        return found

    def repositories(self) -> list[Path]:
        """The repositories and wikis in the data folder."""
        found = (path for path in _walk(self.data / "repositories") if path.suffix == ".git")
        return sorted(path for path in found if path.name != EMPTY)

    def files(self) -> dict[str, str]:
        """The checksums of all stored files."""
        root = self.data / "files"
        found: dict[str, str] = {}
        for path in sorted(path for path in _walk(root) if path.name != MARKER):
            with suppress(FileNotFoundError, IsADirectoryError):  # a draft may be renamed or removed meanwhile
                found[str(path.relative_to(root))] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found


def _walk(folder: Path) -> Iterator[Path]:
    """All files and folders in it. Unlike a glob, a walk takes it well when one goes away meanwhile."""
    for within, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield Path(within, name)


class TwoNodes:
    """A primary with data, and a secondary that joins it."""

    def __init__(self, home: Path, *, tls: bool = False, workers: int = 1) -> None:
        self.home = home
        self.primary = Node(home, "primary", OwnServer())
        self.primary.server.start()
        self.front = TlsFront(home / "front", lambda: self.primary.server.url) if tls else None
        self.primary_url = self.front.url if self.front else self.primary.server.url
        """The address at which secondaries reach the primary."""
        self.workers = workers
        """Processes of the secondary that answer HTTP."""
        self.secondary: Node | None = None
        self.node_id = 0

    def join(self) -> Node:
        """Set up the secondary as operators do, and start it."""
        assert self.primary.run("geo", "init-primary", self.primary_url).code == 0
        added = self.primary.run("geo", "add-secondary", SECONDARY_URL)
        assert added.code == 0, added.err
        command = added.out.splitlines()[-1].split()
        database = ReplicaServer(self.primary.database)
        secondary = Node(self.home, "secondary", database, workers=self.workers)
        self.secondary = secondary
        if self.front:
            assert "certificate" in secondary.run(*command[1:]).error, "the primary is not trusted"
            secondary.server.environment["MUJINA_PRIMARY_CA_FILE"] = str(self.front.ca_file)
        joined = secondary.run(*command[1:])
        assert joined.code == 0, joined.err
        secondary.server.start()
        [self.node_id] = [n["id"] for n in self.primary.ask("GET", "/geo_nodes").json if not n["primary"]]
        return secondary

    def status(self) -> dict[str, Any]:
        """The status of the secondary, as it measures it now."""
        assert self.secondary is not None
        return self.secondary.ask("GET", f"/geo_nodes/{self.node_id}/status").json

    def is_equal(self) -> bool:
        """Whether the secondary has all files and refs of the primary, and no others."""
        return not self.differences()

    def differences(self) -> set[tuple[str, str]]:
        """The refs and files that only one of them has."""
        assert self.secondary is not None
        ours, theirs = ({**node.refs(), **node.files()} for node in (self.primary, self.secondary))
        return set(ours.items()) ^ set(theirs.items())

    def create_project(self, name: str) -> dict[str, Any]:
        """A project with a commit, a wiki page, an upload and a large file."""
        ask = self.primary.ask
        project = ask("POST", "/projects", name=name, visibility="internal").json
        place = f"/projects/{project['id']}"
        self.commit(project["id"], "first.txt")
        assert ask("POST", f"{place}/wikis", title="home", content=name).status == 201
        assert ask("POST", f"{place}/uploads", file=("a.txt", name.encode())).status == 201
        self.upload_large_file(project["path_with_namespace"], f"large {name}".encode())
        return project

    def commit(self, project_id: int, file_path: str, content: str = "") -> str:
        action = {"action": "create", "file_path": file_path, "content": content or file_path}
        answer = self.primary.ask(
            "POST", f"/projects/{project_id}/repository/commits", branch="master", commit_message="x", actions=[action]
        )
        assert answer.status == 201, answer.body
        return answer.json["id"]

    def upload_large_file(self, path: str, content: bytes) -> None:
        oid = hashlib.sha256(content).hexdigest()
        login = {"Authorization": "Basic " + base64.b64encode(f"root:{TOKEN}".encode()).decode()}
        place = f"/{path}.git/gitlab-lfs/objects/{oid}/{len(content)}"
        answer = self.primary.send("PUT", place, content, {**login, "Content-Type": "application/octet-stream"})
        assert answer.status == 200, answer.body

    def close(self) -> None:
        for node in filter(None, [self.secondary, self.primary]):
            if node.server in RunningServer.running:
                node.server.kill()
            if node.database.home.exists():
                node.database.stop()
        if self.front:
            self.front.close()
        shutil.rmtree(self.home, ignore_errors=True)


def wait_for(condition: Callable[[], Any], seconds: float = 180) -> Any:
    """The first true value of the condition."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            world = getattr(condition, "__self__", None)
            raise AssertionError(f"it did not happen in time {world.differences() if world else ''}")
        time.sleep(0.25)  # a look hashes every file of both nodes, and lists every ref
    return found
