"""Large packages pass through a server in pieces."""

import base64
import json
import urllib.request
from pathlib import Path

import pytest

MEGABYTE = 1024 * 1024
PIECE = bytes(3 * 256 * 1024)
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\ntool\r\n'
    b'--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n1\r\n'
    b'--b\r\nContent-Disposition: form-data; name="content"; filename="tool-1.tar.gz"\r\n\r\n'
)
DOCUMENT = b'{"name": "tool", "versions": {"1.0.0": {}}, "_attachments": {"tool-1.0.0.tgz": {"data": "'
MAX_MEMORY = 40
"""Megabytes that a server may grow by while it stores and sends a file of any size."""


def peak(server):
    """The most memory that the server ever had, in megabytes."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def send(server, verb, path, kind="application/json", pieces=(b"",)):
    """The body of the response, if it is short, and its size."""
    length = str(sum(len(piece) for piece in pieces))
    headers = {"Private-Token": server.token, "Content-Type": kind, "Content-Length": length}
    request = urllib.request.Request(f"{server.url}/api/v4{path}", iter(pieces), headers, method=verb)
    with urllib.request.urlopen(request, timeout=600) as answer:
        data, size = b"", 0
        while piece := answer.read(MEGABYTE):
            size += len(piece)
            data = piece if size == len(piece) else b""
        return data, size


@pytest.mark.long(10)
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_large_package_goes_in_and_out_in_little_memory(running_server, thorough):
    count = (500 if thorough else 64) * MEGABYTE // len(PIECE)
    server, here = running_server, "/projects/1/packages"
    send(server, "POST", "/projects", pieces=[b'{"name": "x"}'])
    text = base64.b64encode(PIECE)
    uploads = [
        ("PUT", f"{here}/generic/tool/1/file", "application/octet-stream", [PIECE] * count),
        ("POST", f"{here}/pypi", "multipart/form-data; boundary=b", [FORM, *[PIECE] * count, b"\r\n--b--\r\n"]),
        ("PUT", f"{here}/npm/tool", "application/json", [DOCUMENT, *[text] * count, b'"}}}']),
    ]
    send(server, "PUT", f"{here}/generic/tool/1/small", "application/octet-stream", [PIECE])
    before = peak(server)
    for upload in uploads:
        send(server, *upload)
    for package in json.loads(send(server, "GET", here)[0]):
        for file in json.loads(send(server, "GET", f"{here}/{package['id']}/package_files")[0]):
            _, size = send(server, "GET", file["file"]["url"].partition("/api/v4")[2])
            assert size == file["size"] in (len(PIECE), len(PIECE) * count)
    assert peak(server) - before < MAX_MEMORY
