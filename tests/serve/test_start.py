"""Starting: from an empty folder to the first answer, again from what is there, and never twice."""

import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mujina.kernel.secrets import new_key
from tests.harness.running import RunningServer, running
from tests.serve.wire import ask

MAX_MEMORY = 74
"""Megabytes of a server that has just started, as the README says and `make bench` measures."""

MAX_MODULES, MAX_MODULES_OF_JOBS = 800, 1_000
"""Modules of ours that a server imports before it is ready, and by the time it runs jobs: each takes half a millisecond."""
IMPORTS = """
import sys
import mujina.cli.commands.server_processes
from mujina.product import PRODUCT
print(sum(name.startswith("mujina.") for name in sys.modules))
PRODUCT.modules("tasks")
ours = [name for name in sys.modules if name.startswith("mujina.")]
print(len(ours), *(name for name in ours if name.endswith((".routes", ".pages")) and ".kernel." not in name))
print(*sorted({"falcon", "http.client", "jinja2", "mujina.api", "mujina.web.application", "pygit2", "sqlalchemy"} & {*sys.modules}))
"""


def output(server: RunningServer) -> str:
    """What the last start said."""
    return server.data.with_suffix(f".{server.starts}.log").read_text()


def test_the_server_starts_from_nothing_and_again_after_a_stop_and_a_power_cut(tmp_path: Path, database_url: str):
    server = RunningServer(tmp_path / "data", database_url, forked=False)
    token = f"Private-Token: {server.token}"
    server.start()
    try:
        assert server.memory() <= MAX_MEMORY
        status, _, root = ask(server.url, "/api/v4/user", token)
        assert (status, root["id"], root["username"], root["is_admin"]) == (200, 1, "root", True)
        assert ask(server.url, "/api/v4/user?sudo=root", token)[0] == 200
        assert server.data.stat().st_mode & 0o777 == 0o700
        shown = r"The administrator is `root` with the password \S{16} \(it will not be shown again\)\."
        assert re.search(shown, output(server))
        assert ask(server.url, "/api/v4/projects?name=kept", token, method="POST")[0] == 201
        assert server.stop() == 0
        server.forked = True
        for end in (server.kill, server.stop):
            server.start()
            assert output(server).splitlines()[0] == f"Mujina is ready at {server.url}"
            assert ask(server.url, "/api/v4/projects/root%2Fkept", token)[0] == 200
            end()
    finally:
        server.kill()


def test_a_start_imports_neither_routes_nor_pages_nor_what_only_they_need():
    printed = subprocess.run([sys.executable, "-c", IMPORTS], check=True, capture_output=True, text=True).stdout
    [ready], (count, *entry_points), heavy = (line.split() for line in printed.splitlines())
    assert (entry_points, heavy) == ([], [])
    assert int(ready) <= MAX_MODULES
    assert int(count) <= MAX_MODULES_OF_JOBS


def test_a_chosen_password_is_not_shown(tmp_path: Path, sqlite_url: str):
    server = RunningServer(tmp_path / "data", sqlite_url)
    server.environment = {"MUJINA_ROOT_PASSWORD": "correct horse battery"}
    server.start()
    server.kill()
    assert output(server).splitlines()[0] == f"Mujina is ready at {server.url}"
    assert "password" not in output(server)


def test_the_ports_that_sites_have_taken_are_printed(tmp_path: Path):
    with running(tmp_path, MUJINA_PAGES_PORT="0", MUJINA_PAGES_TLS_PORT="0") as server:
        for scheme in ("http", "https"):
            [port] = re.findall(rf"^Sites are served at {scheme}://127\.0\.0\.1:(\d+)$", output(server), re.MULTILINE)
            socket.create_connection(("127.0.0.1", int(port))).close()


def test_several_that_start_at_once_make_one_database_and_one_administrator(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MUJINA_INSTANCE_KEY", new_key())
    servers = [RunningServer(tmp_path / name, database_url) for name in ("one", "two", "three")]
    for server in servers:  # what nodes of one database have to share
        server.data.mkdir()
        for name in ("repositories", "files"):
            (tmp_path / name).mkdir(exist_ok=True)
            (server.data / name).symlink_to(tmp_path / name)
    try:
        with ThreadPoolExecutor() as threads:
            list(threads.map(RunningServer.start, servers))
        for server in servers:
            _, headers, people = ask(server.url, "/api/v4/users", f"Private-Token: {server.token}")
            assert (headers["x-total"], people[0]["id"], people[0]["username"]) == ("1", 1, "root")
        assert sum("The administrator is" in output(server) for server in servers) == 1
    finally:
        for server in servers:
            server.kill()
