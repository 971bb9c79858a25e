"""Long responses: whole for a client that only reads on, without an end if they failed, logged as they ended."""

import hashlib
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.git.forge import Copy, Forge
from tests.git.test_access_log import count, lines  # noqa: F401 # pyright: ignore[reportUnusedImport] - a fixture
from tests.git.test_ssh import receivers
from tests.git.wire import line
from tests.serve.wire import connection, eventually, head

ENGINES = ("sqlite",)
"""What git streams does not depend on the engine."""

LONG = 6_000_000
"""More bytes than the kernel buffers for a client that does not read."""
LAST_CHUNK = b"\r\n0\r\n\r\n"


@pytest.fixture(scope="module")
def project(forge: Forge) -> dict[str, Any]:
    """A project with a file that does not compress."""
    made, copy = forge.filled("streamed")
    copy.commit("Add a long file", a_long_file=os.urandom(LONG), later="the end")
    copy.do("push", "--quiet", "origin", "master")
    unpack(forge.repository(made))
    return made | {"sha": copy.do("rev-parse", "HEAD"), "later": copy.do("rev-parse", "HEAD:later")}


def unpack(repository: Copy) -> None:
    """Let every object be a file, so that a test can take one away."""
    for pack in [*(repository.folder / "objects" / "pack").glob("*.pack")]:
        content = pack.read_bytes()
        for file in pack.parent.glob(f"{pack.stem}.*"):
            file.unlink()
        assert repository.git("unpack-objects", "-q", stdin=content).ok


def clone(forge: Forge, project: dict[str, Any]) -> bytes:
    body = line("command=fetch\n") + b"0001" + line(f"want {project['sha']}\n") + line("done\n") + b"0000"
    return _head(forge, project, "POST", "git-upload-pack", len(body)) + body


def advertisement(forge: Forge, project: dict[str, Any]) -> bytes:
    return _head(forge, project, "GET", "info/refs?service=git-receive-pack", 0)


def _head(forge: Forge, project: dict[str, Any], verb: str, page: str, length: int) -> bytes:
    return head(
        verb, f"/{project['path_with_namespace']}.git/{page}", "Git-Protocol: version=2",
        f"Authorization: {forge.basic('master')['Authorization']}", f"Content-Length: {length}",
        "Content-Type: application/x-git-upload-pack-request",
    )  # fmt: skip


def archive(forge: Forge, project: dict[str, Any]) -> bytes:
    path = f"/api/v4/projects/{project['id']}/repository/archive.tar"
    return head("GET", path, f"Private-Token: {forge.token('master')}")


def output_of(forge: Forge, request: bytes) -> bytes:
    """All that the server sends to a client that ends its side of the connection after the request."""
    output = bytearray()
    with connection(forge.server.url) as wire:
        wire.sendall(request)
        wire.shutdown(socket.SHUT_WR)
        try:
            while part := wire.recv(1_000_000):
                output += part
        except ConnectionResetError:
            pass
    return bytes(output)


@pytest.mark.parametrize("request_of", [clone, archive])
def test_a_client_that_ends_its_side_after_the_request_gets_the_whole_response(forge: Forge, project, request_of):
    output = output_of(forge, request_of(forge, project))
    assert len(output) > LONG
    assert output.endswith(LAST_CHUNK)


@pytest.mark.parametrize("suffix", ["tar", "zip"])
def test_an_archive_that_the_client_leaves_half_way_leaves_nothing_behind(forge: Forge, suffix):
    project, copy = forge.filled(f"left-{suffix}")
    content = os.urandom(LONG)
    oid = hashlib.sha256(content).hexdigest()
    place = f"/{project['path_with_namespace']}.git/gitlab-lfs/objects/{oid}/{len(content)}"
    assert forge.ask("PUT", place, content, forge.basic("developer")).status == 200
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
    copy.commit("Add files", large=pointer, later=os.urandom(LONG))
    copy.do("push", "--quiet", "origin", "master")
    repository = forge.repository(project).folder

    path = f"/api/v4/projects/{project['id']}/repository/archive.{suffix}"
    with connection(forge.server.url) as wire:
        wire.sendall(head("GET", path, f"Private-Token: {forge.token('master')}"))
        assert wire.recv(1_000).startswith(b"HTTP/1.1 200 OK\r\n")
        eventually(lambda: is_open(oid))
        assert receivers(repository)
    eventually(lambda: not receivers(repository) and not is_open(oid))


def is_open(name: str) -> bool:
    """Whether a process has a file open whose name has this in it."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if name in str(link.readlink()):
                return True
    return False


@contextmanager
def moved_away(file: Path) -> Generator[None]:
    aside = file.rename(file.with_suffix(".aside"))
    yield
    aside.replace(file)


@pytest.mark.parametrize("request_of", [clone, archive])
def test_a_stream_that_failed_does_not_end_as_if_it_were_whole(forge: Forge, project, request_of):
    objects = forge.repository(project).folder / "objects"
    with moved_away(objects / project["later"][:2] / project["later"][2:]):
        output = output_of(forge, request_of(forge, project))
    assert output.startswith(b"HTTP/1.1 200 OK\r\n")
    assert not output.endswith(LAST_CHUNK)


def test_a_repository_whose_refs_are_damaged_answers_503(forge: Forge, project):
    refs = forge.repository(project).folder / "packed-refs"
    refs.write_text("not refs\n")
    try:
        output = output_of(forge, advertisement(forge, project))
    finally:
        refs.unlink()
    assert output.startswith(b"HTTP/1.1 503 ")
    assert b"The repository cannot be read." in output


def test_git_shows_what_it_was_refused(forge: Forge, project):
    copy = forge.copy(forge.url(f"{project['path_with_namespace']}.git", "reporter"))
    said = copy.git("fetch", "origin", "1" * 40)
    assert not said.ok
    assert said.text == f"fatal: remote error: upload-pack: not our ref {'1' * 40}\n"


@pytest.mark.parametrize("request_of", [clone, archive])
def test_a_stream_whose_client_left_is_logged_as_such(forge: Forge, project, lines, request_of):  # noqa: F811
    fetched, id_ = count(forge, operation="fetch", protocol="http", outcome="ok"), f"left-{request_of.__name__}"
    with connection(forge.server.url, receive_buffer=4_096) as wire:
        wire.sendall(request_of(forge, project).replace(b"Host", f"X-Request-Id: {id_}\r\nHost".encode(), 1))
        assert wire.recv(1_000).startswith(b"HTTP/1.1 200 OK\r\n")
    eventually(lambda: bool(lines(event="request", request_id=id_)))
    [ended] = lines(event="request", request_id=id_)
    assert (ended["status"], ended["outcome"]) == (200, "disconnected")
    assert ended["bytes"] < LONG
    assert count(forge, operation="fetch", protocol="http", outcome="ok") == fetched
    assert not lines(level="error", request_id=id_)
