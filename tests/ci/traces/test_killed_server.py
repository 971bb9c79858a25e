"""`kill -9` of the server while a job runs."""

import json
import urllib.request
from urllib.error import HTTPError

import pytest

from tests.serve.wire import eventually


@pytest.fixture
def ask(running_server):
    """Sends a request to the server as the administrator: its status, its headers and its body."""

    def ask(verb, path, body=None, **headers):
        headers = {"Private-Token": running_server.token, "Content-Type": "application/json"} | headers
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(f"{running_server.url}/api/v4{path}", data, headers, method=verb)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except HTTPError as error:
            return error.code, error.headers, error.read().decode()

    return ask


def take_job(ask):
    """A runner registers, and takes the job of a new project."""
    ask("POST", "/projects", {"name": "built"})
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": "a: {script: b}"}
    ask("POST", "/projects/1/repository/commits", {"branch": "master", "commit_message": "x", "actions": [action]})
    registration = json.loads(ask("GET", "/projects/1")[2])["runners_token"]
    runner = json.loads(ask("POST", "/runners", {"token": registration})[2])["token"]
    taken = []

    def take():
        status, _, text = ask("POST", "/jobs/request", {"token": runner})
        taken.extend([json.loads(text)] if status == 201 else [])
        return bool(taken)

    eventually(take)
    return taken[0]


def test_no_acknowledged_byte_is_lost(running_server, ask):
    job = take_job(ask)

    def patch(start, data):
        headers = {"JOB-TOKEN": job["token"], "Content-Range": f"{start}-", "Content-Type": "text/plain"}
        status, headers, _ = ask("PATCH", f"/jobs/{job['id']}/trace", data, **headers)
        return status, headers["Range"]

    text = b"".join(b"line %d\n" % number for number in range(3))
    for start in range(0, len(text), 7):
        assert patch(start, text[start : start + 7]) == (202, f"0-{start + 7}")
    running_server.kill()
    running_server.start()
    assert patch(0, b"x") == (416, f"0-{len(text)}")
    assert patch(len(text), b"end\n") == (202, f"0-{len(text) + 4}")
    assert ask("GET", f"/projects/1/jobs/{job['id']}/trace")[2] == text.decode() + "end\n"
