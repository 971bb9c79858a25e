"""Where the testing mode exists, and where it does not."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from mujina.testing.client import Mujina, MujinaProcess, RequestRefused
from mujina.testing.process import ServerProcess
from mujina.testing.states.postgres import prepare
from tests.cli.command import mujina, mujina_process
from tests.harness import fork_server
from tests.harness.running import RunningServer, running


def test_no_such_route_exists_on_a_normal_server(cast):
    for path in ("reset", "seed", "clock", "jobs", "settings", "faults", "requests", "deliveries", "mails", ""):
        for method in ("GET", "POST", "PUT", "DELETE"):
            assert cast.root.ask(method, f"//-/testing/{path}").status == 404
    assert not [path for path in cast.root.get("/openapi.json").json["paths"] if "testing" in path]


def test_only_root_token_controls_it(instance: Mujina):
    stranger = Mujina(instance.url, "another token")
    with pytest.raises(RequestRefused, match="401"):
        stranger.reset()
    with pytest.raises(RequestRefused, match="404"):
        instance.control("GET", "nothing")


def test_it_is_in_the_openapi_document_of_this_mode(instance: Mujina):
    document = instance.request("GET", "/openapi.json")
    assert document["paths"]["/-/testing/reset"]["servers"] == [{"url": "/"}]
    assert {"get", "post", "delete"} < document["paths"]["/-/testing/clock"].keys()
    assert "World" in document["components"]["schemas"]


def test_every_page_says_so(instance: Mujina):
    for path in ("/", "/explore", "/users/sign_in"):
        with urlopen(instance.url + path, timeout=60) as page:
            assert "Testing mode" in page.read().decode()


def test_it_listens_on_this_machine_only(tmp_path: Path):
    for host in ("0.0.0.0", "::", "192.0.2.1", "mujina.example"):
        result = mujina("serve", "--testing", "--data", str(tmp_path / "data"), "--host", host)
        assert "listens on this machine only" in result.error
    assert not (tmp_path / "data").exists()


def test_it_refuses_what_it_has_not_made(tmp_path: Path):
    (tmp_path / "precious").touch()
    result = mujina("serve", "--testing", "--data", str(tmp_path))
    assert result.error == (
        f"The folder {tmp_path} was not made by --testing, which deletes what is in it: choose another."
    )
    result = mujina("serve", "--testing", "--database-url", f"sqlite:///{tmp_path}/mujina.db")
    assert "leave out --database-url" in result.error
    assert "leave out --workers" in mujina("serve", "--testing", "--workers", "2").error
    assert "belongs to --testing" in mujina("serve", "--stop-with-stdin").error
    result = mujina("serve", "--testing", "--data", str(tmp_path / "precious"))
    assert result.error == f"--data: {tmp_path}/precious is not a folder: name another."


@pytest.mark.parametrize("redirection", ["</dev/null", "<&-"])
def test_it_refuses_a_standard_input_without_an_end(redirection: str, tmp_path: Path):
    command = f"{sys.executable} -m mujina serve --testing --stop-with-stdin --data {tmp_path}/data {redirection}"
    refused = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--stop-with-stdin needs a pipe as standard input" in refused.stderr
    assert not (tmp_path / "data").exists()


def test_it_refuses_a_database_that_it_has_not_made(postgres, tmp_path: Path, postgres_schema: str):
    url = postgres.create(template=postgres_schema)
    result = mujina_process("serve", "--testing", "--data", str(tmp_path), "--port", "0", "--database-url", url)
    postgres.drop(url)
    assert "was not made by --testing" in result.error


def test_a_database_that_does_not_answer_is_named(tmp_path: Path):
    away = "postgresql://u:p@127.0.0.1:1/x"
    result = mujina_process(
        "serve", "--testing", "--data", str(tmp_path / "data"), "--port", "0", "--database-url", away
    )
    assert (result.code, result.error.startswith("PostgreSQL cannot be used: ")) == (2, True)


def test_a_new_folder_begins_anew_in_a_database_of_the_mode(postgres):
    url = postgres.create()
    with psycopg.connect(url, autocommit=True) as connection:
        tables: list[int | None] = []
        for _ in range(2):
            server = MujinaProcess(ServerProcess(database_url=url))
            assert server.request("POST", "/projects", name="first")["id"] == 1
            server.stop()
            tables.append(_table(connection))
        assert tables[0] == tables[1]  # the rows went, the tables of this version stayed
        connection.execute("COMMENT ON SCHEMA mujina_testing IS 'those of another version'")
        asyncio.run(prepare(url, anew=True))
        assert _table(connection) is None
    postgres.drop(url)


def test_the_revisions_write_no_rows(postgres, postgres_schema: str):
    url = postgres.create(template=postgres_schema)
    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        filled = [
            name for name in names if connection.execute(SQL("SELECT 1 FROM {}").format(Identifier(name))).fetchone()
        ]
    postgres.drop(url)
    assert filled == ["schema_revision"]  # so deleting all other rows begins anew


def _table(connection: psycopg.Connection) -> int | None:
    [number] = connection.execute("SELECT to_regclass('public.projects')::oid").fetchone() or [None]
    return number


def test_a_normal_server_refuses_a_folder_of_this_mode(testing_server: RunningServer):
    for command in ("serve", "worker"):
        assert "was made by `mujina serve --testing`" in mujina(command, "--data", str(testing_server.data)).error


def test_it_starts_again_on_its_own_folder(tmp_path: Path):
    server = RunningServer(tmp_path / "data", "", ("--testing",))
    server.start()
    Mujina(server.url, server.token).request("POST", "/projects", name="kept")
    server.kill()
    server.start()
    instance = Mujina(server.url, server.token)
    instance.reset()
    assert [project["name"] for project in instance.request("GET", "/projects")] == ["kept"]
    server.kill()


def test_its_new_folder_goes_when_the_terminal_closes(tmp_path: Path):
    ready = tmp_path / "ready.json"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    server = fork_server.start(
        "mujina",
        "serve",
        "--testing",
        "--port",
        "0",
        "--ssh-port",
        "0",
        "--ready-file",
        str(ready),
        environment=environment,
    )
    while not ready.exists():
        assert server.poll() is None
        time.sleep(0.02)
    [folder] = folders_of(server.pid)
    server.send_signal(signal.SIGHUP)
    assert server.wait(60) == 0
    assert not folder.exists()


def folders_of(pid: int) -> set[Path]:
    """The data folders in which the process has files open."""
    opened = (handle.readlink() for handle in Path(f"/proc/{pid}/fd").iterdir())
    return {path.parent for path in opened if path.name == "mujina.db"}


def test_a_folder_keeps_the_token_of_root_and_has_one_server(tmp_path: Path):
    data = tmp_path / "data"
    first = ServerProcess(data)
    server = MujinaProcess(first)
    server.request("POST", "/projects", name="kept")
    assert "Another server uses the folder" in _refused(data)
    server.stop()
    assert "has another token" in _refused(data)
    command = [sys.executable, "-m", "mujina", "serve", "--testing", "--stop-with-stdin", "--data", str(data)]
    environment = {name: value for name, value in os.environ.items() if name != "MUJINA_ROOT_TOKEN"}
    with subprocess.Popen(
        [*command, "--port", "0", "--ssh-port", "0"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as again:
        [token], [url] = (
            next(re.findall(pattern, line) for line in again.stdout or () if re.search(pattern, line))
            for pattern in (r"root's token is (\S+)", r"ready at (\S+)")
        )
        assert token == first.token
        assert Mujina(url, token).request("GET", "/projects")[0]["name"] == "kept"


def _refused(data: Path, url: str | None = None) -> str:
    """What a server says that does not start."""
    server = ServerProcess(data, url)
    with pytest.raises(RuntimeError) as refused:
        server.addresses()
    server.stop()
    return str(refused.value)


def test_a_database_has_one_server(postgres, tmp_path: Path):
    url = postgres.create()
    server = MujinaProcess(ServerProcess(tmp_path / "first", url))
    assert "Another server of the testing mode uses this database" in _refused(tmp_path / "second", url)
    assert server.request("GET", "/projects") == []
    server.stop()
    postgres.drop(url)


def test_a_running_normal_server_cannot_be_switched(tmp_path: Path):
    with (
        running(tmp_path, MUJINA_TESTING="true", MUJINA_JOBS="inline") as server,
        pytest.raises(RequestRefused) as error,
    ):
        Mujina(server.url, server.token).reset()
    assert error.value.status == 404
