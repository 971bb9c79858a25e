"""A running server with the cast in it, and real git clients of everybody."""

import json
import os
import shutil
import subprocess
import urllib.request
from base64 import b64encode
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.kernel.db.connect import connect
from tests.harness.canaries import CANARIES
from tests.harness.client import Headers
from tests.harness.running import RunningServer
from tests.harness.stage import Stage

on_sqlite = pytest.mark.parametrize("forge", ["sqlite"], indirect=True)
"""What git and the rules of permission decide runs on one engine."""
TEAM = {"master": 40, "developer": 30, "reporter": 20, "guest": 10}


@dataclass(frozen=True)
class Said:
    """What a git client said, and whether it was content."""

    code: int
    text: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    def __contains__(self, words: str) -> bool:
        return words in self.text


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Headers
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


@dataclass
class Copy:
    """A working copy of somebody."""

    folder: Path
    environment: Mapping[str, str]

    def git(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Said:
        """Run git here, whatever comes of it."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env={**self.environment, **(env or {})}, input=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=300,
        )  # fmt: skip
        return Said(done.returncode, done.stdout.decode("utf-8", "replace"))

    def output(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What git writes here, undecoded."""
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, env=self.environment, input=stdin, stdout=subprocess.PIPE, check=True
        ).stdout

    def do(self, *arguments: str, **environment: str) -> str:
        """Run git here; it must succeed."""
        said = self.git(*arguments, env=environment)
        assert said.ok, said.text
        return said.text.strip()

    def commit(self, message: str = "Change something", **files: str | bytes) -> str:
        """A commit with these files (`a__b` for `a/b`); its id."""
        for name, content in (files or {"file": message}).items():
            self.write(name.replace("__", "/"), content)
        self.do("add", "--all", "--force")
        self.do("commit", "--quiet", "--allow-empty", "--message", message)
        return self.do("rev-parse", "HEAD")

    def write(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@dataclass
class Forge:
    """The server, its data folder, and the people of the cast."""

    server: RunningServer
    stage: Stage
    folder: Path
    copies: int = 0
    projects: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def environment(self) -> dict[str, str]:
        """A git that knows nothing of whoever runs the tests."""
        person = {"NAME": "Ada", "EMAIL": "developer@example.org", "DATE": "2026-01-01T00:00:00Z"}
        identity = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", **identity,
        }  # fmt: skip

    def token(self, who: str) -> str:
        return self.stage.roster.people[who][2] or ""

    def url(self, path: str, who: str | None = None, password: str | None = None) -> str:
        """The address of a repository as somebody types it."""
        login = f"{who}:{self.token(who) if password is None else password}@" if who else ""
        return f"{self.server.url.replace('//', f'//{login}')}/{path}"

    def copy(self, of: str | None = None, *options: str) -> Copy:
        """An empty working copy, or a clone of an address."""
        self.copies += 1
        copy = Copy(self.folder / f"copy-{self.copies}", self.environment)
        copy.folder.mkdir()
        if of is None:
            copy.do("init", "--quiet", "--initial-branch=master")
        else:
            copy.do("clone", "--quiet", *options, of, ".")
        return copy

    def api(self, verb: str, path: str, who: str = "root", /, **params: Any) -> Any:
        reply = self.ask(
            verb, f"/api/v4{path}", json.dumps(params).encode() if params else None,
            {"Private-Token": self.token(who), "Content-Type": "application/json"},
        )  # fmt: skip
        assert reply.status < 400, reply
        return json.loads(reply.body) if reply.body else None

    def ask(self, verb: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """Any request, as it stands; redirects are not followed."""
        request = urllib.request.Request(self.server.url + path, body, dict(headers or {}), method=verb)
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=180) as response:
                reply = _reply(response)
        except HTTPError as refusal:
            reply = _reply(refusal)
        CANARIES.sweep_answer(verb, path.partition("?")[0], reply.headers, reply.body)
        return reply

    def basic(self, who: str, password: str | None = None) -> dict[str, str]:
        login = f"{who}:{self.token(who) if password is None else password}"
        return {"Authorization": f"Basic {b64encode(login.encode()).decode()}"}

    def project(self, name: str, visibility: str = "private", **settings: Any) -> dict[str, Any]:
        """A project with the team in it."""
        team = self.stage.roster.places["team"].id
        made = self.api("POST", "/projects", name=name, visibility=visibility, namespace_id=team, **settings)
        for person, level in TEAM.items():
            user = self.stage.roster.people[person][0]
            self.api("POST", f"/projects/{made['id']}/members", user_id=user, access_level=level)
        self.projects.append(made)
        return made

    def filled(self, name: str, visibility: str = "private", **settings: Any) -> tuple[dict[str, Any], Copy]:
        """A project with one commit on its default branch, and the copy it was pushed from by the master."""
        made = self.project(name, visibility, **settings)
        copy = self.copy()
        copy.commit("Begin", README="hello\n")
        copy.do("remote", "add", "origin", self.url(f"{made['path_with_namespace']}.git", "master"))
        copy.do("push", "--quiet", "origin", "master")
        return made, copy

    def repository(self, project: dict[str, Any]) -> Copy:
        """The repository of a project as it is on the server's disk."""
        return Copy(
            RepositoryStorage.of(self.server.data).repo_path(project["id"]), self.environment | {"GIT_DIR": "."}
        )

    def refs(self, project: dict[str, Any]) -> dict[str, str]:
        lines = self.repository(project).do("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines)

    def events(self, project: dict[str, Any], kind: str = "repository.pushed") -> list[dict[str, list[str]]]:
        """What was recorded of each ref that was pushed to a project: where it was and where it is."""
        rows = self.values(
            "SELECT e.changes FROM events e WHERE e.project_id = :id AND e.kind = :kind ORDER BY e.id",
            id=project["id"], kind=kind,
        )  # fmt: skip
        return [{told["ref"]: told["sha"]} for told in map(json.loads, rows)]

    def values(self, sql: Any, **bound: Any) -> list[Any]:
        async def read() -> list[Any]:
            database = connect(self.server.database_url)
            await database.open()
            async with database.transaction() as tx:
                found = await tx.values(sql, **bound) if sql.startswith("SELECT") else [await tx.run(sql, **bound)]
            await database.close()
            return found

        return self.stage.loop.run_until_complete(read())


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _reply(response: Any) -> Reply:
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in response.headers.items()]
    return Reply(response.status, Headers(pairs), response.read())


@contextmanager
def opened(stage: Stage, folder: Path, *flags: str) -> Generator[Forge]:
    """A server over a copy of the stage, until the block is left."""
    url = stage.copy()
    data = folder / "data"
    data.mkdir()
    shutil.copytree(stage.folder / "secrets", data / "secrets")
    server = RunningServer(data, url, flags)
    server.start()
    try:
        yield Forge(server, stage, folder)
    finally:
        server.kill()
        stage.discard(url)
