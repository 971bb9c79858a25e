"""Commands on a data folder that is read-only name what cannot be written."""

import subprocess
import sys
from pathlib import Path

from mujina.testing.client import Mujina
from tests.harness.mounts import mounting
from tests.harness.running import ROOT, RunningServer


def test_a_command_names_the_file_of_a_read_only_data_folder(running_server: RunningServer, tmp_path: Path):
    server, archive = running_server, tmp_path / "app.tar.gz"
    Mujina(server.url, server.token).request("POST", "/projects", name="app", initialize_with_readme=True)
    wrapper = mounting(f'mount --bind "{server.data}" "{server.data}" && mount -o remount,ro,bind "{server.data}"')
    for words, written in {
        ("export", "root/app", str(archive)): "scratch",
        ("backup", str(tmp_path / "b")): "backup.lock",
    }.items():
        command = [*wrapper, sys.executable, "-m", "mujina", *words]
        done = subprocess.run(
            [*command, "--data", str(server.data), "--database-url", server.database_url],
            cwd=ROOT, check=False, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        named = server.data / written
        assert (done.returncode, done.stderr) == (
            2, f"mujina: Storage is read-only: make it writable, then run this again. It is about {named}.\n",
        )  # fmt: skip
    assert not list(tmp_path.glob("app.tar.gz*"))
