"""Writes from several clients that remember what was answered: what is missing later was lost."""

import threading
import time
from http.client import HTTPConnection, HTTPException
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from tests.harness.encoding import BOUNDARY, multipart
from tests.harness.running import TOKEN

CLIENTS = 6


class Answer(NamedTuple):
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def ask(url: str, verb: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Answer:
    """One request on a connection of its own; the status 0 if no answer came."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request(verb, path, body, {"Private-Token": TOKEN, "Content-Type": kind})
        answer = connection.getresponse()
        return Answer(answer.status, answer.read())
    except (HTTPException, OSError):
        return Answer(0, b"")
    finally:
        connection.close()


def post(url: str, path: str, /, **body: Any) -> Answer:
    return ask(url, "POST", f"/api/v4{path}", msgspec.json.encode(body))


class Writes:
    """Issues, commits and uploads in a project for each client, until it is stopped."""

    def __init__(self, url: str, *, files: bool = True) -> None:
        self._url, self._files = url, files
        self.kept: list[tuple[str, bytes]] = []
        """The addresses of what was answered, and what their answers contain."""
        self.failed = 0
        self._answered_at: list[float] = []
        self._stopped = threading.Event()
        projects = [
            post(url, "/projects", name=f"writes{number}", initialize_with_readme=True) for number in range(CLIENTS)
        ]
        assert all(each.status == 201 for each in projects), projects
        self._paths: dict[int, str] = {each.json["id"]: each.json["path_with_namespace"] for each in projects}
        self._threads = [threading.Thread(target=self._write, args=(id,), daemon=True) for id in self._paths]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def longest_pause(self) -> float:
        """The longest time without a successful write of anybody, in seconds."""
        return max((later - earlier for earlier, later in pairwise(sorted(self._answered_at))), default=float("inf"))

    def lost(self) -> list[str]:
        """What was answered and is missing."""
        return [path for path, content in self.kept if not self._has(path, content)]

    def _has(self, path: str, content: bytes) -> bool:
        found = ask(self._url, "GET", path)
        assert found.status in (200, 404), found
        return found.status == 200 and content in found.body

    def _write(self, project: int) -> None:
        number = 0
        while not self._stopped.wait(0.02):
            number += 1
            text = f"{project}-{number}"
            written = self._write_one(project, number, text)
            if written is None:
                self.failed += 1
            else:
                self.kept.append((written, text.encode()))
                self._answered_at.append(time.monotonic())

    def _write_one(self, project: int, number: int, text: str) -> str | None:
        place = f"/projects/{project}"
        if number % 4 == 1:
            action = {"action": "create", "file_path": text, "content": text}
            sent = post(
                self._url, f"{place}/repository/commits", branch="master", commit_message=text, actions=[action]
            )
            return f"/api/v4{place}/repository/files/{text}/raw?ref=master" if sent.status == 201 else None
        if number % 4 == 2 and self._files:
            body = multipart({}, file=("notes.txt", text.encode()))
            kind = f"multipart/form-data; boundary={BOUNDARY}"
            sent = ask(self._url, "POST", f"/api/v4{place}/uploads", body, kind)
            return f"/{self._paths[project]}{sent.json['url']}" if sent.status == 201 else None
        sent = post(self._url, f"{place}/issues", title=text)
        return f"/api/v4{place}/issues/{sent.json['iid']}" if sent.status == 201 else None
