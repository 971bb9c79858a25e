"""`mujina migrate`, `config`, `doctor` and `version`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mujina.cli.main import PLAIN_FLAGS, SWITCHES, plain_flags
from tests.cli.command import mujina
from tests.harness.running import ROOT

ANY_PORTS = {"MUJINA_PORT": "0", "MUJINA_SSH_PORT": "0"}


def test_config_shows_the_settings_in_effect_and_their_sources(tmp_path: Path):
    (tmp_path / "mujina.toml").write_text("workers = 3\nroot_password = 'hunter22hunter22'\n")
    result = mujina(
        "config", "show", "--data", str(tmp_path), "--database-url", "postgresql://me:hunter22@db/x",
        MUJINA_PORT="99", MUJINA_ROOT_TOKEN="hunter22hunter22",
        MUJINA_SMTP_URL="smtp://me:hunter22@x@mail:587",
    )  # fmt: skip
    lines = {name: rest.split() for name, _, rest in (line.partition(" ") for line in result.out.splitlines())}
    assert lines["workers"] == ["3", f"{tmp_path}/mujina.toml"]
    assert lines["port"] == ["99", "MUJINA_PORT"]
    assert lines["data"] == [str(tmp_path), "--data"]
    assert lines["host"] == ["127.0.0.1", "default"]
    assert lines["instance_key"] == ["not", "set", "default"]
    assert (lines["access_log"], lines["remote_includes"]) == (["true", "default"], ["false", "default"])
    assert lines["trusted_proxies"] == ["none", "default"]
    assert lines["root_token"] == ["[masked]", "MUJINA_ROOT_TOKEN"]
    assert lines["database_url"] == ["postgresql://me:[masked]@db/x", "--database-url"]
    assert lines["smtp_url"] == ["smtp://me:[masked]@mail:587", "MUJINA_SMTP_URL"]
    assert "hunter22" not in result.out


def test_migrate_creates_the_database_and_can_be_repeated_and_doctor_finds_no_problem(
    tmp_path: Path, database_url: str
):
    where = ("--data", str(tmp_path / "data"), "--database-url", database_url)
    for _ in range(2):
        result = mujina("migrate", *where)
        assert (result.code, result.out) == (0, "The database has the schema of this version.\n")
    result = mujina("doctor", *where, **ANY_PORTS)
    assert result.code == 0, result.out
    assert "ok       settings: served at a port that is free\n" in result.out
    assert [line.split(":")[0] for line in result.out.splitlines()] == [
        "ok       settings",
        "ok       data folder",
        "ok       database",
        "ok       instance key",
        "ok       stored data",
        "ok       ports",
        "ok       git",
        "ok       clock",
    ]


def test_doctor_says_how_to_fix_problems(tmp_path: Path):
    data, programs = tmp_path / "data", tmp_path / "programs"
    mujina("migrate", "--data", str(data))
    data.chmod(0o755)
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\necho git version 2.20.1\n")
    (programs / "git").chmod(0o755)
    result = mujina("doctor", "--data", str(data), MUJINA_WOKERS="2", PATH=f"{programs}:{os.environ['PATH']}")
    assert result.code == 1
    assert "PROBLEM  settings: MUJINA_WOKERS is set but is not a setting" in result.out
    assert (
        f"PROBLEM  data folder: {data} is readable by other users of this machine: run `chmod 700 {data}`."
        in result.out
    )
    assert "PROBLEM  git: git version 2.20.1 is too old: install git 2.39 or later." in result.out
    assert "ok       database" in result.out


def test_doctor_refuses_a_folder_that_does_not_exist(tmp_path: Path):
    for data in (tmp_path / "misspelled", tmp_path / "file" / "data"):
        (tmp_path / "file").touch()
        assert mujina("doctor", "--data", str(data)).error == (
            f"There is no data folder {data}: give that of the instance with --data, or start one with `mujina serve`."
        )
        assert not data.exists()


def test_doctor_reports_a_folder_that_cannot_be_written_to(tmp_path: Path):
    result = mujina("doctor", "--data", "/proc", "--database-url", f"sqlite:///{tmp_path}/mujina.db")
    assert "PROBLEM  data folder: The data folder /proc is not writable" in result.out


def test_doctor_reports_an_unreachable_database(tmp_path: Path):
    result = mujina("doctor", "--data", str(tmp_path), "--database-url", "postgresql://me:hunter22@127.0.0.1:1/x")
    assert result.code == 1
    assert "PROBLEM  database: " in result.out
    assert "hunter22" not in result.out + result.err


def test_version_prints_the_versions():
    """Started by Python, as users do."""
    command = [sys.executable, "-m", "mujina", "version"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("mujina ")
    assert "API version 10.5.0-ee" in result.stdout
    assert result.stdout.startswith(mujina("--version").out)


def test_help_lists_the_commands():
    output = mujina("--help").out
    assert all(
        verb in output
        for verb in ("serve", "worker", "migrate", "user", "token", "job", "mail", "config", "doctor", "version")
    )


def test_a_start_without_the_library_for_command_lines_knows_the_flags_that_the_library_knows():
    listed = mujina("serve", "--help").out
    assert {f"--{word}" for word in re.findall(r"--([a-z][a-z-]+)", listed)} - {
        "--help",
        "--version",
    } == PLAIN_FLAGS | SWITCHES
    flags = [word for flag in sorted(PLAIN_FLAGS) for word in (flag, "1")]
    assert plain_flags(["serve", *flags]) == {flag[2:].replace("-", "_"): "1" for flag in PLAIN_FLAGS}


@pytest.mark.parametrize(
    "words",
    ["serve --port", "serve --port=1", "serve --prot 1", "serve --port 1 --port 2", "serve --port -1", "worker", ""],
)
def test_any_other_command_line_is_left_to_the_library(words):
    assert plain_flags(words.split()) is None
