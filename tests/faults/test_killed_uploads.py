"""An upload of a package that `kill -9` ends half way leaves no package and no file."""

import base64
import json
import socket
import time
import urllib.request
from urllib.parse import urlsplit

from tests.serve.wire import PATIENCE

HALF = 24 * 1024 * 1024
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\ntool\r\n'
    b'--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n1\r\n'
    b'--b\r\nContent-Disposition: form-data; name="content"; filename="tool-1.tar.gz"\r\n\r\n'
)
DOCUMENT = b'{"name": "tool", "versions": {"1.0.0": {}}, "_attachments": {"tool-1.0.0.tgz": {"data": "'
UPLOADS = [
    ("PUT", "generic/tool/1/file", "application/octet-stream", b""),
    ("POST", "pypi", "multipart/form-data; boundary=b", FORM),
    ("PUT", "npm/tool", "application/json", DOCUMENT),
]


def stored(server):
    """The files of packages on the disk, also those that are not whole."""
    folder = server.data / "files" / "packages"
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def begin_upload(server, number, verb, path, kind, head):
    """Send the first half of an upload, and wait until some of it is on the disk, as of so many uploads."""
    address = urlsplit(server.url)
    connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
    head_lines = (
        f"{verb} /api/v4/projects/1/packages/{path} HTTP/1.1\r\nHost: x\r\nPrivate-Token: {server.token}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {2 * HALF + len(head)}\r\n\r\n"
    )
    connection.sendall(head_lines.encode() + head + base64.b64encode(bytes(HALF * 3 // 4)))
    until = time.monotonic() + PATIENCE
    while sum(size > 0 for size in server.files_in_use("packages")) < number:
        assert time.monotonic() < until, "nothing was stored"
        time.sleep(0.02)
    return connection


def get(server, path):
    request = urllib.request.Request(f"{server.url}/api/v4{path}", headers={"Private-Token": server.token})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def test_half_an_upload_is_no_package(running_server):
    server = running_server
    request = urllib.request.Request(
        f"{server.url}/api/v4/projects", data=b'{"name": "x"}',
        headers={"Private-Token": server.token, "Content-Type": "application/json"},
    )  # fmt: skip
    urllib.request.urlopen(request, timeout=PATIENCE).close()
    connections = [begin_upload(server, number, *upload) for number, upload in enumerate(UPLOADS, 1)]
    server.kill()
    for connection in connections:
        connection.close()
    server.start()
    assert get(server, "/projects/1/packages") == []
    assert stored(server) == []
