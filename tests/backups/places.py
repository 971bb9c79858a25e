"""A server that is backed up, the target, and the place to which a set is restored."""

import json
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from mujina.adapters.git.storage import RepositoryStorage
from tests.cli.command import Result, mujina
from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer
from tests.serve.wire import PATIENCE


class Api:
    """Requests of the administrator."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"{self.server.url}/api/v4{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Private-Token": self.server.token, "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"null")

    def fill(self) -> None:
        """A project with a repository, a wiki, an upload and an issue."""
        self.ask("POST", "/projects", {"name": "kept", "initialize_with_readme": True})
        self.ask("POST", "/projects/1/wikis", {"title": "home", "content": "A page."})
        self.ask("POST", "/projects/1/issues", {"title": "The first"})
        boundary = "frontier"
        head = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
        upload = f"--{boundary}\r\n{head}\r\n\r\nA plain text.\r\n--{boundary}--\r\n"
        request = urllib.request.Request(
            f"{self.server.url}/api/v4/projects/1/uploads",
            data=upload.encode(),
            headers={
                "Private-Token": self.server.token,
                "Content-Type": f"multipart/form-data; boundary={boundary}",
            },
        )
        with urllib.request.urlopen(request, timeout=PATIENCE):
            pass

    def commit(self, branch: str, file: str, text: str, *, start: str | None = None) -> str:
        """The id of a commit that creates the file."""
        body = {
            "branch": branch,
            "commit_message": text,
            "actions": [{"action": "create", "file_path": file, "content": text}],
        }
        return self.ask("POST", "/projects/1/repository/commits", body | ({"start_branch": start} if start else {}))[
            "id"
        ]


@dataclass
class Place:
    server: RunningServer
    target: Path
    data: Path
    database_url: str
    """The database of the restored instance."""

    @property
    def api(self) -> Api:
        return Api(self.server)

    def backup(self, *flags: str, target: str | None = None, **environment: str) -> Result:
        where = ("--data", str(self.server.data), "--database-url", self.server.database_url)
        return mujina("backup", target or str(self.target), *flags, *where, **environment)

    def restore(self, *flags: str, target: str | None = None, **environment: str) -> Result:
        where = ("--data", str(self.data), "--database-url", self.database_url)
        return mujina("restore", target or str(self.target), *flags, *where, **environment)

    def read(self, command: str, *flags: str, **environment: str) -> Result:
        """The output of `mujina backup list` or `verify`."""
        return mujina("backup", command, str(self.target), *flags, "--data", str(self.server.data), **environment)

    @contextmanager
    def restored_server(self) -> Generator[Api]:
        """The restored instance, served."""
        server = RunningServer(self.data, self.database_url)
        server.start()
        try:
            yield Api(server)
        finally:
            server.kill()

    def query(self, sql: Any) -> list[Any]:
        """Rows of the restored database."""

        async def rows(tx: Any) -> list[Any]:
            return await tx.fetch(sql, {})

        return in_transaction(self.database_url, rows)

    def git(self, *arguments: str, project_id: int = 1, wiki: bool = False) -> str:
        """The output of git in a restored repository."""
        path = RepositoryStorage.of(self.data).repo_path(project_id, wiki=wiki)
        command = ["git", "--git-dir", str(path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def repeated(work: Callable[[int], object]) -> Generator[None]:
    """Meanwhile, the work is done again and again, with a new number each time."""
    ended = threading.Event()

    def run() -> None:
        for number in count():
            if ended.is_set():
                return
            work(number)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def writes(api: Api) -> Generator[list[str]]:
    """Meanwhile, issues are created, and branches are committed to, moved and deleted; the commits that were answered."""
    commits = list[str]()

    def write(number: int) -> None:
        branch = f"branch-{number % 3}"
        commits.append(api.commit("master", f"file-{threading.get_ident()}-{number}", f"Number {number}"))
        commits.append(api.commit(branch, f"{number}", f"Beside {number}", start="master"))
        api.ask("POST", "/projects/1/issues", {"title": f"Issue {number}"})
        api.ask("DELETE", f"/projects/1/repository/branches/{branch}")

    with repeated(write):
        yield commits
