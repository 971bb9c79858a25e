"""Commands find the instance that a server runs, and say so where they do not; the server says where it is."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mujina.cli.server_record import database_name
from mujina.settings import Settings
from tests.cli.command import mujina, mujina_process
from tests.harness.running import ROOT, RunningServer
from tests.serve.wire import ask


def test_a_command_finds_the_database_that_the_settings_file_names(tmp_path: Path, migrated_url: str):
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "mujina.toml").write_text(f"database_url = '{migrated_url}'\n")
    server = RunningServer(data, "")
    server.start()
    try:
        token = mujina("token", "create", "root", "--data", str(data)).out.strip()
        assert ask(server.url, "/api/v4/user", f"Private-Token: {token}")[0] == 200
    finally:
        server.kill()


def test_a_command_that_would_use_another_database_than_the_server_says_so(tmp_path: Path, migrated_url: str):
    data = tmp_path / "data"
    server = RunningServer(data, migrated_url)  # in the environment of the server only
    server.start()
    server.kill()
    error = mujina("user", "list", "--data", str(data)).error
    assert error.startswith(f"The server of {data} uses the database ")
    assert "mujina.toml" in error
    result = mujina("user", "list", "--data", str(data), "--database-url", f"sqlite:///{tmp_path}/other.db")
    assert "mujina: note: the server of" in result.err
    assert "PROBLEM  database: the server of" in mujina("doctor", "--data", str(data)).out
    result = mujina("user", "list", "--data", str(data), "--database-url", migrated_url)
    assert (result.code, result.err) == (0, "")


def test_the_record_of_the_server_has_no_password(tmp_path: Path):
    for url in ("postgresql://me:hunter22@db/x", "postgresql://me@db/x?password=hunter22&sslmode=require"):
        assert "hunter22" not in database_name(Settings(data=tmp_path, database_url=url))


def test_doctor_notices_a_taken_port(tmp_path: Path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        for variable, free in (("MUJINA_PORT", "MUJINA_SSH_PORT"), ("MUJINA_SSH_PORT", "MUJINA_PORT")):
            result = mujina("doctor", "--data", str(tmp_path), **{variable: str(port), free: "0"})
            assert result.code == 1
            assert f"PROBLEM  ports: Port {port} on 127.0.0.1 is already in use" in result.out


def test_doctor_looks_at_the_ports_of_the_running_server_which_its_flags_chose(tmp_path: Path):
    data = tmp_path / "data"
    ready = tmp_path / "ready.json"
    server = RunningServer(data, f"sqlite:///{data}/mujina.db", ("--ready-file", str(ready)))
    server.start()
    try:
        found = json.loads(ready.read_text())
        result = mujina("doctor", "--data", str(data))
        assert result.code == 0, result.out
        assert f"{found['port']} and {found['ssh_port']} on 127.0.0.1, served by this instance" in result.out
        assert f"served as http://127.0.0.1:{found['port']}\n" in result.out
    finally:
        server.kill()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_ready_file_and_the_output_name_both_ports(tmp_path: Path, workers: str):
    ready = tmp_path / "ready.json"
    ready.write_text("of a former start")
    data = tmp_path / "data"
    flags = ("--ready-file", str(ready), "--ssh-port", "0", "--workers", workers)
    server = RunningServer(data, f"sqlite:///{tmp_path}/mujina.db", flags)
    server.start()
    try:
        found = json.loads(ready.read_text())
        assert (found["url"], found["pid"]) == (server.url, server.process.pid)
        assert urlsplit(found["url"]).port == found["port"]
        assert found["ssh_url"] == f"ssh://git@127.0.0.1:{found['ssh_port']}"
        assert f"Git over SSH is served at {found['ssh_url']}\n" in data.with_suffix(".1.log").read_text()
        with socket.create_connection(("127.0.0.1", found["ssh_port"]), 60) as ssh:
            assert ssh.recv(4) == b"SSH-"
    finally:
        server.kill()


def test_a_ready_file_that_cannot_be_written_is_an_error(tmp_path: Path):
    where = ("--data", str(tmp_path / "data"), "--port", "0", "--ssh-port", "0")
    error = mujina_process("serve", *where, "--ready-file", str(tmp_path / "missing" / "ready")).error
    assert error.startswith("--ready-file: ")
    link = tmp_path / "link"
    link.symlink_to("/dev/stdout")
    assert (
        mujina_process("serve", *where, "--ready-file", str(link)).error
        == f"{link} is not a regular file: name another."
    )
    assert link.is_symlink()


def test_a_root_token_that_an_existing_instance_does_not_know_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path}/mujina.db")
    server.start()
    server.kill()
    monkeypatch.setattr("tests.harness.running.TOKEN", "another-token-of-tests")
    for workers in ("1", "2"):
        server.flags = ("--workers", workers)
        server.start()
        server.kill()
        text = server.data.with_suffix(f".{server.starts}.log").read_text()
        assert "root_token (MUJINA_ROOT_TOKEN) is not a valid token of this existing instance" in text
        assert "another-token-of-tests" not in text


def test_output_that_is_not_read_ends_quietly(tmp_path: Path):
    command = f"{sys.executable} -m mujina config show --data {tmp_path} | true"
    done = subprocess.run(
        ["bash", "-c", f"for i in 1 2 3; do {command}; done; exit 0"],
        cwd=ROOT, env=os.environ | {"PYTHONUNBUFFERED": "1"}, capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("token create", "The argument USERNAME is missing; see `mujina token create --help`."),
        ("user create bob", "The option --email is missing; see `mujina user create --help`."),
        ("token create root --name", "--name needs a value; see `mujina token create --help`."),
        ("serve stray words", "`mujina serve` does not take the argument stray words; see `mujina serve --help`."),
        ("audit --limit 0", 'Invalid value "0" for --limit. Must be >= 1.'),
        ("hook deliveries --limit -1", 'Invalid value "-1" for --limit. Must be >= 1.'),
        ("token revoke root x", "ID must be a whole number, not 'x'; see `mujina token revoke --help`."),
    ],
)
def test_wrong_arguments_are_named_in_plain_words(arguments: str, error: str):
    assert mujina(*arguments.split()).error == error


@pytest.mark.parametrize("engine", ["sqlite"])
def test_only_administrators_get_sudo_tokens(tmp_path: Path, migrated_url: str):
    where = ("--data", str(tmp_path / "data"), "--database-url", migrated_url)
    mujina("user", "create", "boss", "--email", "boss@example.org", "--admin", *where)
    mujina("user", "create", "ada", "--email", "ada@example.org", *where)
    error = mujina("token", "create", "ada", "--scopes", "api,sudo", *where).error
    assert error == "ada is not an administrator: only administrators get the scope sudo."
    assert mujina("token", "list", "ada", *where).out.count("\n") == 1
    assert mujina("token", "create", "boss", "--scopes", "api,sudo", *where).code == 0
