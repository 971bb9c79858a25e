"""`mujina service install`, `mujina doctor --fix`, and an address that is refused."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import apsw
import pytest

from mujina.adapters.file_locks import locked_folder
from tests.cli.command import mujina
from tests.harness.running import ROOT

ANY_PORTS = {"MUJINA_PORT": "0", "MUJINA_SSH_PORT": "0"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "my data"
    folder.mkdir(mode=0o700)
    return folder


def install(data: Path, *words: str, **environment: str):
    return mujina("service", "install", "--data", str(data), "--user", "mujina", *words, **environment)


def test_the_unit_is_printed_or_written_and_systemd_understands_it(data: Path, tmp_path: Path):
    unit = tmp_path / "mujina.service"
    printed = install(data, "--print", "--unit", str(unit)).out
    assert not unit.exists()
    assert f'serve --data "{data}"\nUser=mujina\n' in printed
    assert f'ReadWritePaths="{data}"\n' in printed
    assert "CapabilityBoundingSet=\n" in printed
    for _ in range(2):
        assert install(data, "--unit", str(unit)).out.startswith(
            f"Wrote {unit}. Start it with `systemctl daemon-reload`"
        )
    assert unit.read_text() == printed
    if shutil.which("systemd-analyze"):
        found = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
        assert "mujina.service" not in found.stderr, found.stderr


def test_the_unit_has_what_the_settings_need(data: Path, tmp_path: Path):
    (data / "mujina.toml").write_text(f"port = 80\ndatabase_url = 'sqlite:///{tmp_path}/100%/a.db'\n")
    result = install(data, "--print", MUJINA_WORKERS="2")
    assert "\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n" in result.out
    assert f'ReadWritePaths="{tmp_path}/100%%" "{data}"\n' in result.out
    assert "mujina: note: the service does not see MUJINA_WORKERS: put workers into mujina.toml.\n" in result.err


def test_a_foreign_unit_and_a_folder_of_root_are_refused(data: Path, tmp_path: Path):
    unit = tmp_path / "mujina.service"
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    assert install(data, "--unit", str(unit)).error.startswith(f"{unit} exists and was not written by this command")
    assert install(data, "--unit", str(tmp_path / "no" / "x.service")).error.endswith(
        "run this as root, or give --unit."
    )
    assert install(tmp_path / "none").error.startswith(f"There is no data folder {tmp_path / 'none'}")
    if os.geteuid() == 0:
        refused = mujina("service", "install", "--print", "--data", str(data)).error
        assert refused.startswith(f"The data folder {data} belongs to root: give it to a user of its own")


def test_doctor_fixes_what_is_safe(data: Path):
    where = ("--data", str(data))
    assert mujina("migrate", *where).code == 0
    data.chmod(0o755)
    (data / "secrets").mkdir(mode=0o750)
    draft = data / "mujina.db.before-0.1.0.draft"
    draft.touch()
    found = mujina("doctor", *where, **ANY_PORTS)
    assert (found.code, "is readable by other users" in found.out, draft.exists()) == (1, True, True)
    fixed = mujina("doctor", "--fix", *where, **ANY_PORTS)
    assert fixed.code == 0, fixed.out
    assert fixed.out.splitlines()[:3] == [
        f"fixed    {data} is closed to other users of this machine",
        f"fixed    {data}/secrets is closed to other users of this machine",
        f"fixed    {draft} of an interrupted upgrade is removed",
    ]
    assert (data.stat().st_mode & 0o777, draft.exists()) == (0o700, False)
    assert "fixed" not in mujina("doctor", "--fix", *where, **ANY_PORTS).out


def test_doctor_changes_no_folder_that_is_not_that_of_an_instance(tmp_path: Path):
    above = tmp_path / "srv"
    above.mkdir(mode=0o755)
    (above / "other").touch()
    assert "fixed" not in mujina("doctor", "--fix", "--data", str(above), **ANY_PORTS).out
    assert above.stat().st_mode & 0o777 == 0o755


def test_doctor_leaves_a_draft_that_is_being_written(data: Path):
    """An upgrade has the lock of writers, a restoration and a copy that of the folder."""
    where = ("--data", str(data))
    assert mujina("migrate", *where).code == 0
    upgrade, copy = data / "mujina.db.before-0.1.0.draft", data / "mujina.db.restored"
    upgrade.touch()
    copy.touch()
    writer = apsw.Connection(str(data / "mujina.db"))
    writer.execute("BEGIN IMMEDIATE")
    with locked_folder(data):
        assert "fixed" not in mujina("doctor", "--fix", *where, **ANY_PORTS).out
    writer.close()
    assert mujina("doctor", "--fix", *where, **ANY_PORTS).out.splitlines()[:2] == [
        f"fixed    {upgrade} of an interrupted upgrade is removed",
        f"fixed    {copy} of an interrupted copy or restore is removed",
    ]


def test_the_log_is_rotated_by_the_file_of_the_document(tmp_path: Path):
    """Lines that come later are at the beginning of the emptied file."""
    log, rotation = tmp_path / "mujina.log", tmp_path / "rotation"
    block = (ROOT / "docs/operating.md").read_text().partition("```logrotate\n")[2].partition("```")[0]
    rotation.write_text(block.replace("/var/log/mujina.log", str(log)))
    with log.open("a") as written:
        subprocess.run(["echo", "The first line"], stdout=written, check=True)
        program = shutil.which("logrotate", path=f"{os.environ['PATH']}:/usr/sbin") or "logrotate"
        rotated = subprocess.run(
            [program, "--force", "--state", tmp_path / "state", rotation], capture_output=True, text=True, check=False
        )
        assert (rotated.returncode, rotated.stderr) == (0, "")
        subprocess.run(["echo", "The second line"], stdout=written, check=True)
    assert gzip.decompress((tmp_path / "mujina.log.1.gz").read_bytes()) == b"The first line\n"
    assert log.read_text() == "The second line\n"


def test_an_address_with_a_path_is_refused(tmp_path: Path):
    refused = mujina("config", "show", "--data", str(tmp_path), MUJINA_EXTERNAL_URL="https://example.com/mujina").error
    assert "http:// or https:// and a host, with nothing after it" in refused
