"""A reset leaves nothing of a test, whatever it left open."""

import shutil
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import psycopg
import pytest

from mujina.testing.client import Mujina, RequestRefused
from tests.harness.running import RunningServer

WORLD = {
    "users": [{"username": "ann", "password": "correct horse"}, {"username": "bob"}],
    "groups": [{"path": "team", "members": {"ann": "owner"}}],
    "projects": [
        {
            "path": "team/app",
            "members": {"bob": "developer"},
            "files": {"README.md": "first\n"},
            "commits": [{"message": "Add more", "branch": "feature", "files": {"more.txt": "more\n"}, "author": "bob"}],
            "issues": [{"title": "It rains", "author": "bob"}],
            "merge_requests": [{"title": "More", "source_branch": "feature", "author": "bob"}],
            "hooks": [{"url": "http://hooks.test/", "events": ["issues"], "token": "s3cret"}],
        }
    ],
}


def _change_everything(instance: Mujina, token: str) -> list[object]:
    """What a test does; the answers, without what time and chance decide."""
    project = instance.request("POST", "/projects", name="fresh", initialize_with_readme=True)
    issue = instance.request("POST", "/projects/1/issues", title="New", token=token)
    actions = [{"action": "update", "file_path": "README.md", "content": "changed\n"}]
    instance.request("POST", "/projects/1/repository/commits", branch="master", commit_message="x", actions=actions)
    instance.request("DELETE", "/projects/1/repository/branches/feature")
    instance.request("PUT", "/projects/1", description="changed")
    instance.request("DELETE", "/users/3", hard_delete=True)
    return [project["id"], issue["id"], issue["iid"], len(instance.deliveries)]


def test_everything_is_as_it_was_and_ids_start_over(instance: Mujina):
    ids = instance.seed(WORLD)
    before = _seen(instance)
    first = _change_everything(instance, ids.users["bob"].token)
    assert first == [2, 2, 2, 1]
    assert _seen(instance) != before
    instance.reset()
    assert _seen(instance) == before
    assert _change_everything(instance, ids.users["bob"].token) == first
    instance.seed({})
    assert instance.request("GET", "/projects") == []
    assert instance.seed(WORLD) == ids
    assert _seen(instance) == before


def _seen(instance: Mujina) -> list[object]:
    paths = ("/projects", "/users", "/projects/1/issues", "/projects/1/merge_requests", "/projects/1/events")
    repository = "/projects/1/repository"
    paths += (
        f"{repository}/branches",
        f"{repository}/commits",
        f"{repository}/files/README.md?ref=master",
        "/search?scope=issues&search=rains",
    )
    return [instance.request("GET", path) for path in paths]


def test_a_world_that_cannot_be_built_is_refused_and_leaves_nothing(instance: Mujina):
    with pytest.raises(RequestRefused, match="there is no user nobody"):
        instance.seed({"users": [{"username": "ann"}], "groups": [{"path": "team", "members": {"nobody": "owner"}}]})
    with pytest.raises(RequestRefused, match="unknown field"):
        instance.seed({"colour": "red"})
    assert [user["username"] for user in instance.request("GET", "/users")] == ["root"]


def test_a_token_session_or_user_that_a_test_deletes_is_there_again(instance: Mujina):
    instance.seed(WORLD)
    for token in instance.request("GET", "/personal_access_tokens?user_id=1"):
        instance.request("DELETE", f"/personal_access_tokens/{token['id']}")
    instance.reset()
    assert instance.request("GET", "/user")["username"] == "root"


def test_files_and_mails_of_a_test_are_gone(instance: Mujina, testing_server: RunningServer):
    instance.seed(WORLD)
    tree = sorted(path for path in (testing_server.data / "repositories").rglob("*"))
    instance.request("POST", "/projects", name="fresh", initialize_with_readme=True)
    instance.request("POST", "/projects/1/issues", title="@ann look")
    assert len(instance.mails) == 1
    instance.reset()
    assert instance.mails == []
    assert sorted(path for path in (testing_server.data / "repositories").rglob("*")) == tree


def test_an_open_request_ends_and_the_next_test_is_not_disturbed(instance: Mujina):
    """A body that never comes whole, a slow answer and an idle connection are open during the reset."""
    address = urlsplit(instance.url)
    head = (
        f"POST /api/v4/projects HTTP/1.1\r\nHost: x\r\nPrivate-Token: {instance.token}\r\nContent-Length: 100\r\n\r\n{{"
    )
    instance.seed(WORLD)
    instance.fail("/api/v4/version", delay=600)
    with (
        socket.create_connection((address.hostname, address.port)) as half,
        socket.create_connection((address.hostname, address.port)) as idle,
    ):
        half.sendall(head.encode())
        slow = threading.Thread(target=_ask_slowly, args=(instance,))
        slow.start()
        while len(instance.requests) < 2:
            time.sleep(0.01)
        instance.reset()
        slow.join(60)
        assert not slow.is_alive()
        answer = half.recv(4096)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"The state was reset while this request was running" in answer
        idle.sendall(b"GET /-/liveness HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in idle.recv(4096)
    assert instance.request("GET", "/version")
    assert [request["path"] for request in instance.requests] == ["/-/liveness", "/api/v4/version"]
    instance.request("POST", "/projects/1/issues", title="After it")
    assert [each["body"]["object_attributes"]["title"] for each in instance.deliveries] == ["After it"]


def _ask_slowly(instance: Mujina) -> None:
    with suppress(RequestRefused, ConnectionError):
        instance.request("GET", "/version")


def test_a_clone_and_a_push_that_are_under_way_do_not_break_the_next_test(instance: Mujina, tmp_path: Path):
    instance.seed(WORLD)
    url = f"{instance.url.replace('://', f'://root:{instance.token}@')}/team/app.git"
    for number in range(3):
        folder = tmp_path / str(number)
        clone = subprocess.Popen(["git", "clone", "-q", url, str(folder)], stderr=subprocess.DEVNULL)
        instance.reset()
        clone.wait()
        shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", url, str(tmp_path / "app")], check=True)
    commit = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qam", "x"]
    (tmp_path / "app" / "README.md").write_text("pushed\n")
    subprocess.run(commit, cwd=tmp_path / "app", check=True)
    push = subprocess.Popen(["git", "push", "-q"], cwd=tmp_path / "app", stderr=subprocess.DEVNULL)
    instance.reset()
    push.wait()
    instance.reset()
    assert instance.request("GET", "/projects/1/repository/commits?ref_name=master")[0]["title"] == "Initial commit"
    subprocess.run(["git", "push", "-q"], cwd=tmp_path / "app", check=True)


def ssh_of(instance: Mujina, key: Path) -> tuple[list[str], str]:
    """The command by which root reaches the server over SSH, with a new key, and the host to name."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    instance.request("POST", "/user/keys", title="key", key=key.with_suffix(".pub").read_text())
    host, port = instance.request("GET", "/projects/1")["ssh_url_to_repo"].split("@")[1].split("/")[0].split(":")
    options = [f"-o{option}=no" for option in ("StrictHostKeyChecking", "IdentityAgent")]
    return ["ssh", "-F", "/dev/null", "-i", str(key), *options, "-p", port], f"git@{host}"


def test_a_command_over_ssh_that_is_under_way_ends(instance: Mujina, tmp_path: Path):
    instance.seed(WORLD)
    ssh, host = ssh_of(instance, tmp_path / "key")
    command = [*ssh, host, "git-upload-pack team/app"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as clone:
        assert clone.stdout.read(4)  # it waits for what the client wants
        instance.reset()
        assert clone.wait(60) != 0
    assert instance.request("GET", "/user/keys") == []


def test_a_client_that_writes_while_a_world_is_built_is_not_part_of_it(instance: Mujina):
    """A poller that an earlier test forgot waits, and its writes come after the world."""
    world = {"users": [{"username": f"person{number}"} for number in range(6)]}
    ended = threading.Event()
    poller = threading.Thread(target=_create_users, args=(instance, ended))
    poller.start()
    try:
        ids = instance.seed(world)
    finally:
        ended.set()
        poller.join(60)
    assert [user.id for user in ids.users.values()] == [2, 3, 4, 5, 6, 7]
    instance.reset()
    assert len(instance.request("GET", "/users")) == 7


def _create_users(instance: Mujina, ended: threading.Event) -> None:
    number = 0
    while not ended.is_set():
        number += 1
        fields = {"username": f"foreign{number}", "name": "x", "email": f"foreign{number}@example.com"}
        with suppress(RequestRefused, ConnectionError):
            instance.request("POST", "/users", password="correct horse", skip_confirmation=True, **fields)


def test_jobs_and_the_clock_answer_503_to_a_request_that_a_reset_interrupts(instance: Mujina):
    outcomes, ended = list[int](), threading.Event()

    def run(path: str, **body: object) -> None:
        while not ended.is_set():
            try:
                instance.control("POST", path, **body)
            except RequestRefused as refused:
                outcomes.append(refused.status)

    threads = [
        threading.Thread(target=run, args=("jobs",)),
        threading.Thread(target=run, args=("clock",), kwargs={"advance": 1}),
    ]
    for thread in threads:
        thread.start()
    for _ in range(20):
        instance.reset()
    ended.set()
    for thread in threads:
        thread.join(60)
    assert {*outcomes} <= {503}
    assert instance.request("GET", "/version")


def test_a_transaction_that_a_test_left_open_does_not_stop_the_next(instance: Mujina, testing_server: RunningServer):
    """On SQLite another connection is reading; on PostgreSQL a session has locked rows."""
    if not testing_server.database_url:
        left = apsw.Connection(str(testing_server.data / "mujina.db"))
        left.execute("BEGIN; SELECT count(*) FROM users").fetchall()
    else:
        left = psycopg.connect(testing_server.database_url)
        left.execute("UPDATE users SET name = 'changed'")
    started = time.monotonic()
    instance.seed(WORLD)
    assert time.monotonic() - started < 20
    assert instance.request("GET", "/users/1")["name"] != "changed"
    left.close()
