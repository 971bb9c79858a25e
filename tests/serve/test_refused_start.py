"""A start that fails prints one sentence that says what to do, exits with code 2 and shows no traceback."""

import json
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from mujina.adapters.storage_marker import mark
from mujina.kernel.db.postgres.url import find_url_fault
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import SSH_HOST_KEY, new_key
from mujina.processes import listener
from tests.cli.command import mujina, mujina_process
from tests.harness.databases import in_transaction
from tests.harness.mounts import mounting
from tests.harness.running import RunningServer

SERVE = ("serve", "--port", "0")


def refusal(*words: str, **environment: str) -> str:
    return mujina_process(*words, **environment).error


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_that_is_taken(tmp_path: Path, workers: str):
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as taken:
        port = str(taken.getsockname()[1])
        assert refusal("serve", "--data", str(tmp_path / "data"), "--port", port, "--workers", workers) == (
            f"Port {port} on 127.0.0.1 is already in use: stop the server that uses it, or choose another with --port."
        )
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_port_is_ours_alone_as_soon_as_we_have_it(processes: int):
    """As if another server had started at the same moment: it has bound the port and does not listen yet."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        host, port = other.getsockname()
        listeners = listener.bind(host, port, processes)
        with pytest.raises(OSError, match="in use"):
            other.listen()
        with pytest.raises(listener.CannotListen, match="already in use"):
            listener.bind(host, port, processes)
        for each in listeners:
            each.close()


def test_an_address_that_is_not_this_machines(tmp_path: Path):
    assert refusal(*SERVE, "--data", str(tmp_path / "data"), "--host", "203.0.113.1") == (
        "host: 203.0.113.1 is not an address of this machine; try 127.0.0.1 or 0.0.0.0."
    )


@pytest.mark.parametrize("size", ["80k", "1m"])
def test_storage_without_room_for_a_first_start(tmp_path: Path, size: str):
    """Neither for the keys, or not for the database."""
    program = (sys.executable, "-m", "mujina", *SERVE, "--ssh-port", "0", "--data", str(tmp_path / "data"))
    command = (*mounting(f'mount -t tmpfs -o size={size} tmpfs "{tmp_path}"'), *program)
    refused = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (refused.returncode, refused.stderr.splitlines()) == (
        2, ["mujina: Storage is full: free some space, then run this again."]
    )  # fmt: skip


def test_a_data_folder_that_cannot_be_written_to(tmp_path: Path):
    (tmp_path / "file").touch()
    assert refusal(*SERVE, "--data", str(tmp_path / "file" / "data")) == (
        f"The data folder {tmp_path}/file/data is not writable (Not a directory): "
        "give it to the user that runs Mujina, or choose another with --data."
    )


@pytest.mark.parametrize("words", [SERVE, ("worker",)])
def test_a_machine_without_git(tmp_path: Path, words: tuple[str, ...]):
    output = refusal(*words, "--data", str(tmp_path / "data"), PATH=str(tmp_path))
    assert output == "git cannot be run: install git 2.39 or later."
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_database_that_is_not_there(tmp_path: Path, workers: str):
    url = "postgresql://mujina:hunter22@127.0.0.1:1/mujina"
    output = refusal(*SERVE, "--data", str(tmp_path / "new" / "data"), "--database-url", url, "--workers", workers)
    assert not (tmp_path / "new").exists()
    assert output == (
        "PostgreSQL at 127.0.0.1, port 1, database mujina, cannot be used (Connection refused): "
        "see that it runs and lets us in, or name another with --database-url."
    )


def test_a_start_that_is_refused_leaves_the_record_of_the_last_server(tmp_path: Path):
    record = b'{"database":"sqlite:///mujina.db","pid":1,"host":"127.0.0.1","port":1,"ssh_port":null}\n'
    (tmp_path / "server.json").write_bytes(record)
    refusal(*SERVE, "--data", str(tmp_path), "--database-url", f"sqlite:///{tmp_path}/none/mujina.db")
    assert (tmp_path / "server.json").read_bytes() == record
    assert [file.name for file in tmp_path.iterdir()] == ["server.json"]


@pytest.mark.parametrize("words", [SERVE, ("worker",)])
def test_a_bucket_that_is_not_there(tmp_path: Path, words: tuple[str, ...]):
    bucket = {"MUJINA_STORAGE_URL": "s3://bucket", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    (tmp_path / "mujina.db").touch()
    where = ("--data", str(tmp_path / "data"), "--database-url", f"sqlite:///{tmp_path}/mujina.db")
    assert refusal(*words, *where, **bucket).startswith("The bucket s3://bucket cannot be used")
    assert not (tmp_path / "data").exists()


def test_a_worker_without_an_instance(tmp_path: Path):
    assert refusal("worker", "--data", str(tmp_path / "typo")) == (
        f"There is no database {tmp_path}/typo/mujina.db whose jobs could run: give the settings of the server "
        "with --data or --config, or its database with --database-url."
    )
    assert not (tmp_path / "typo").exists()


MALFORMED = {
    "mujina:SECRET w@127.0.0.1:1/mujina": "has a space: percent-encode what is special in the password",
    "mujina:SECRET%zz@127.0.0.1:1/mujina": "has a % without two hexadecimal digits behind it: percent-encode",
    "mujina:SEC%SECRET@127.0.0.1:1/mujina": "has a % without two hexadecimal digits behind it: percent-encode",
    "mujina:SECRET/SECRET@127.0.0.1:1/mujina": "has an @ or / that seems to be part of its password: percent-encode",
    "mujina:SECRET@SECRET@127.0.0.1:1/mujina": "has an @ or / that seems to be part of its password: percent-encode",
    "mujina:x@SECRET/SECRET@127.0.0.1:1/mujina": "has an @ or / that seems to be part of its password: percent-encode",
    "mujina:SECRET/SECRET": "has something else than a number as its port: write PASSWORD@HOST:PORT",
    "mujina:x/SECRET?SECRET@127.0.0.1:1/mujina": "cannot be read: behind ?, write only parameters",
    "mujina:SECRET@127.0.0.1:1/mujina?foo=bar": "cannot be read: behind ?, write only parameters",
    "mujina:SECRET@127.0.0.1:1/mujina?connect_timeout=abc": "has something else than a whole number as its connect_timeout",
}


@pytest.mark.parametrize("address", MALFORMED)
def test_a_malformed_url_of_a_database_is_refused_without_its_password(tmp_path: Path, address: str):
    given = {"MUJINA_DATABASE_URL": f"postgresql://{address}"}
    where = ("--data", str(tmp_path))
    for words in (
        ("doctor",), ("migrate",), ("version",), ("backup", str(tmp_path / "backups")), ("user", "list"), ("token", "list", "root"),
    ):  # fmt: skip
        error = mujina(*words, *where, **given).error
        assert error.startswith(f"MUJINA_DATABASE_URL: database_url {MALFORMED[address]}"), words
        assert "SECRET" not in error
    pooler = {"MUJINA_DATABASE_URL": "postgresql://h/x", "MUJINA_DATABASE_POOLER_URL": f"postgresql://{address}"}
    error = mujina("version", *where, **pooler).error
    assert error.startswith(f"MUJINA_DATABASE_POOLER_URL: database_pooler_url {MALFORMED[address]}")
    copied = mujina("database", "copy", f"postgresql://{address}", f"sqlite:///{tmp_path}/copy.db", *where)
    assert copied.error.startswith(f"A database URL {MALFORMED[address]}")
    assert "SECRET" not in copied.error


def test_a_server_and_a_worker_refuse_a_malformed_url_of_a_database(tmp_path: Path):
    url = f"postgresql://{next(iter(MALFORMED))}"
    for words in (SERVE, ("worker",)):
        error = refusal(*words, "--data", str(tmp_path / "data"), "--database-url", url)
        assert error.startswith("--database-url: database_url has a space: percent-encode")
        assert "SECRET" not in error
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "address",
    [
        "%2Frun%2Fpostgresql/x", "/x", "me@/x?host=/run/a@b", "me:a%40b%2Fc%25%20d#?[@h/x", "me:p@h1:1,h2:2/x",
        "me:p@[::1]:5432/x?connect_timeout=3&sslmode=require", "me@h/x?password=a@b/c", "h/a%40b",
    ],
)  # fmt: skip
def test_an_unusual_url_of_a_database_is_accepted(address: str):
    assert find_url_fault(f"postgresql://{address}") is None


def test_a_database_of_a_newer_version(tmp_path: Path, migrated_url: str):
    in_transaction(migrated_url, lambda tx: tx.run("UPDATE schema_revision SET revision = '9999'"))
    for workers in ("1", "2"):
        output = refusal(*SERVE, "--data", str(tmp_path), "--database-url", migrated_url, "--workers", workers)
        assert output.startswith("This database has the schema 9999, which is newer than")


def test_a_database_of_another_application(tmp_path: Path, database_url: str):
    async def make(tx: Tx) -> None:
        await tx.run("CREATE TABLE users (name TEXT)")
        await tx.run("INSERT INTO users (name) VALUES ('theirs')")

    in_transaction(database_url, make)
    for words in (SERVE, (*SERVE, "--workers", "2"), ("worker",), ("migrate",)):
        output = refusal(*words, "--data", str(tmp_path / "data"), "--database-url", database_url)
        assert output.startswith("The database is that of another application and is as it was ("), output
        assert output.endswith(
            "already exists): name an empty one with --database-url, or another data folder with --data."
        )
    assert in_transaction(database_url, lambda tx: tx.values("SELECT name FROM users")) == ["theirs"]
    assert "The database is empty" in mujina("version", "--data", str(tmp_path), "--database-url", database_url).out


def test_a_setting_that_cannot_be(tmp_path: Path):
    (tmp_path / "mujina.toml").write_text("prot = 80\n")
    assert refusal(*SERVE, "--data", str(tmp_path)) == (
        f"{tmp_path}/mujina.toml: prot is not a setting; `mujina config show` prints those that are."
    )
    assert refusal(*SERVE, "--workers", "many") == (
        "--workers: workers must be a number of processes from 1 to 64, not 'many'."
    )
    assert refusal(*SERVE, MUJINA_OUTBOUND_ALLOW="hooks.internal,a b") == (
        "MUJINA_OUTBOUND_ALLOW: outbound_allow: 'a b' is no host, network or host:port."
    )


def test_a_verb_or_flag_that_is_none():
    assert refusal("server").startswith('Unknown command "server".')
    assert refusal("serve", "--prot", "80") == "Unknown option: --prot. Did you mean --port?"


@pytest.mark.parametrize("engine", ["sqlite"])
def test_another_instance_key_than_the_database_was_written_with(running_server: RunningServer):
    assert running_server.stop() == 0
    (running_server.data / "secrets" / "instance.key").write_text(new_key())
    data, url = str(running_server.data), running_server.database_url
    output = refusal(*SERVE, "--data", data, "--database-url", url)
    assert output.startswith("This database belongs to the instance key")


def test_a_disk_that_is_not_mounted(running_server: RunningServer):
    """The folder of the repositories is empty, and the database knows what was in it."""
    server, root = running_server, running_server.data / "repositories" / "default"
    instance = ("--data", str(server.data), "--database-url", server.database_url)
    body = json.dumps({"name": "stored", "initialize_with_readme": True}).encode()
    headers = {"Private-Token": server.token, "Content-Type": "application/json"}
    with urlopen(Request(f"{server.url}/api/v4/projects", body, headers)) as answer:
        assert answer.status == 201
    assert server.stop() == 0
    assert "ok       stored data" in mujina_process("doctor", *instance).out
    (root / ".mujina").unlink()  # as a version left it that knew no such file
    server.start()
    assert ((root / ".mujina").exists(), server.stop()) == (True, 0)
    root.rename(server.data / "unmounted")
    root.mkdir()
    assert refusal(*SERVE, *instance) == (
        f"The folder {root} is empty, but the database knows what was in it: mount or restore it; all nodes of an instance "
        "share it. If that is lost for good, go on without it by creating the file .mujina there."
    )
    assert list(root.iterdir()) == []
    found = mujina_process("doctor", *instance)
    assert (found.code, "PROBLEM  stored data: 1 repositories or files" in found.out, "root/stored" in found.out) == (
        1, True, True,
    )  # fmt: skip
    (root / ".mujina").touch()
    server.start()


def test_a_second_node_without_the_folder_that_all_nodes_share(running_server: RunningServer, tmp_path: Path):
    """An instance in which nothing is stored yet: what each node stored would be missing to the other."""
    server = running_server
    other = tmp_path / "other"
    (other / "secrets").mkdir(parents=True, mode=0o700)
    shutil.copy(server.data / "secrets" / "instance.key", other / "secrets")
    instance = ("--data", str(other), "--database-url", server.database_url)
    root = other / "repositories" / "default"
    assert refusal(*SERVE, *instance).startswith(f"The folder {root} is empty, but the database knows what was in it")
    mark(root, "another")
    words = f"The folder {root} has the id another, but the database belongs to that with the id "
    assert refusal(*SERVE, *instance).startswith(words)
    assert f"PROBLEM  stored data: {words}" in mujina_process("doctor", *instance).out
    marker = server.data / "repositories" / "default" / ".mujina"
    shutil.copytree(server.data / "files", other / "files")
    shutil.copy(marker, root / ".mujina")  # as if it were the same folder
    assert "ok       stored data" in mujina_process("doctor", *instance).out
    assert server.stop() == 0
    marker.write_text("")  # as version 0.1.0 left it, or an operator who goes on without what is lost
    server.start()
    assert marker.read_text() == (root / ".mujina").read_text()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00damaged", b"c2hvcnQ=", b""])
def test_a_damaged_instance_key(tmp_path: Path, content: bytes):
    key = tmp_path / "data" / "secrets" / "instance.key"
    key.parent.mkdir(parents=True)
    key.write_bytes(content)
    assert "instance key" in refusal(*SERVE, "--data", str(tmp_path / "data"))


@pytest.mark.parametrize("content", ["", "no key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n"])
def test_a_damaged_host_key_of_ssh(tmp_path: Path, content: str):
    key = tmp_path / "data" / "secrets" / SSH_HOST_KEY
    key.parent.mkdir(parents=True)
    key.write_text(content)
    assert f"The SSH host key {key} is damaged" in refusal(*SERVE, "--ssh-port", "0", "--data", str(tmp_path / "data"))


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_host_key_that_proves_wrong_with_the_first_client_leaves_http_served(running_server: RunningServer):
    assert running_server.stop() == 0
    key = running_server.data / "secrets" / SSH_HOST_KEY
    first, second, *rest = key.read_text().splitlines()
    key.write_text("\n".join([first, second[::-1], *rest]))
    running_server.start()
    made = Request(f"{running_server.url}/api/v4/projects", b"name=here", {"Private-Token": running_server.token})
    with urlopen(made) as answer:
        port = int(json.load(answer)["ssh_url_to_repo"].rpartition(":")[2].partition("/")[0])
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        assert client.recv(1) == b""
    with urlopen(f"{running_server.url}/-/health") as answer:
        assert answer.status == 200


def test_too_few_files_that_may_be_open(tmp_path: Path):
    started = subprocess.run(
        ["sh", "-c", 'ulimit -n 128 && exec "$@"', "sh", sys.executable, "-m", "mujina", *SERVE, "--data", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert started.returncode == 2
    assert started.stderr == (
        "mujina: This process may open 128 files, and needs at least 320: raise the limit "
        "(`ulimit -n 65536`, or `LimitNOFILE=65536` of a systemd service).\n"
    )
