"""A person who uses a running instance by its API and by git, with nothing but the standard library: it works with any release."""

import json
import os
import re
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

WHO = {"NAME": "Ann", "EMAIL": "ann@example.com", "DATE": "2026-01-01T00:00:00Z"}


@dataclass(frozen=True)
class Person:
    """The holder of a token."""

    url: str
    username: str
    token: str
    header: str = "Private-Token"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer, which must be a success: decoded JSON, or bytes if it is anything else."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, method=method)
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        for name, value in {"Content-Type": kind, self.header: self.token, **headers}.items():
            request.add_header(name.replace("_", "-"), value)
        with _opened(request) as answer:
            content = answer.read()
            return json.loads(content) if answer.headers.get_content_type() == "application/json" else content

    def get(self, path: str) -> Any:
        return self.ask("GET", f"/api/v4{path}")

    def post(self, path: str, /, **fields: Any) -> Any:
        return self.ask("POST", f"/api/v4{path}", fields)

    def put(self, path: str, /, **fields: Any) -> Any:
        return self.ask("PUT", f"/api/v4{path}", fields)

    def upload(self, path: str, name: str, content: bytes) -> Any:
        """Send a file as a form does."""
        head = f'--mark\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + b"\r\n--mark--\r\n"
        return self.ask("POST", f"/api/v4{path}", body, Content_Type="multipart/form-data; boundary=mark")

    def record(self, path: str) -> Any:
        """The answer with ports, which are others at every start, left out."""
        return json.loads(re.sub(r"127\.0\.0\.1:\d+", "the.server", json.dumps(self.get(path))))

    def clone(self, path: str, folder: Path) -> "Clone":
        """A clone of the repository, over HTTP."""
        login = f"//{self.username}:{quote(self.token)}@"
        clone = Clone(folder)
        folder.mkdir(parents=True)
        clone.git("clone", "-q", f"{self.url.replace('//', login)}/{path}.git", ".")
        clone.git("lfs", "install", "--local")
        return clone


def _opened(request: urllib.request.Request) -> Any:
    try:
        return urllib.request.urlopen(request, timeout=180)
    except HTTPError as error:
        raise AssertionError(f"{request.method} {request.full_url}: {error.code} {error.read().decode()}") from None


@dataclass(frozen=True)
class Clone:
    """A working copy."""

    folder: Path

    def git(self, *arguments: str) -> str:
        """What git writes; it must succeed."""
        identity = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in WHO.items()}
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder.parent), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0", **identity,
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout.decode(errors="replace")
        return done.stdout.decode().strip()

    def commit(self, message: str, **files: str) -> None:
        """A commit of these files; `_` stands for a dot in their names."""
        for name, content in files.items():
            (self.folder / name.replace("_", ".")).write_text(content)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", message)
