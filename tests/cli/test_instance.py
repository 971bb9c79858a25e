"""`mujina migrate`, `config`, `doctor` and `version`."""

import os
from pathlib import Path

from tests.cli.command import mujina, mujina_process


def test_migrate_makes_the_database_and_may_be_repeated(tmp_path: Path, database_url: str):
    for _ in range(2):
        ended = mujina("migrate", "--data", str(tmp_path / "data"), "--database-url", database_url)
        assert (ended.code, ended.out) == (0, "The database has the schema of this version.\n")


def test_config_shows_what_is_in_force_and_where_it_came_from(tmp_path: Path):
    (tmp_path / "mujina.toml").write_text("workers = 3\nroot_password = 'hunter22hunter22'\n")
    ended = mujina(
        "config", "show", "--data", str(tmp_path), "--database-url", "postgresql://me:hunter22@db/x",
        MUJINA_PORT="99", MUJINA_ROOT_TOKEN="hunter22hunter22",
    )  # fmt: skip
    lines = {name: rest.split() for name, _, rest in (line.partition(" ") for line in ended.out.splitlines())}
    assert lines["workers"] == ["3", f"{tmp_path}/mujina.toml"]
    assert lines["port"] == ["99", "MUJINA_PORT"]
    assert lines["data"] == [str(tmp_path), "--data"]
    assert lines["host"] == ["127.0.0.1", "default"]
    assert lines["instance_key"] == ["not", "set", "default"]
    assert lines["root_token"] == ["[masked]", "MUJINA_ROOT_TOKEN"]
    assert lines["database_url"] == ["[masked]", "--database-url"]
    assert "hunter22" not in ended.out


def test_doctor_finds_a_fresh_and_a_made_instance_well(tmp_path: Path, database_url: str):
    where = ("--data", str(tmp_path / "data"), "--database-url", database_url)
    mujina("migrate", *where)
    ended = mujina("doctor", *where)
    assert ended.code == 0, ended.out
    assert [line.split(":")[0] for line in ended.out.splitlines()] == [
        "ok       settings",
        "ok       data folder",
        "ok       database",
        "ok       git",
        "ok       clock",
    ]
    assert mujina("doctor", "--data", str(tmp_path / "fresh")).code == 0
    assert not (tmp_path / "fresh").exists()


def test_doctor_says_how_to_mend_what_is_wrong(tmp_path: Path):
    data, programs = tmp_path / "data", tmp_path / "programs"
    mujina("migrate", "--data", str(data))
    data.chmod(0o755)
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\necho git version 2.20.1\n")
    (programs / "git").chmod(0o755)
    ended = mujina("doctor", "--data", str(data), MUJINA_WOKERS="2", PATH=f"{programs}:{os.environ['PATH']}")
    assert ended.code == 1
    assert "PROBLEM  settings: MUJINA_WOKERS is set but is not a setting" in ended.out
    assert (
        f"PROBLEM  data folder: {data} is readable by other users of this machine: run `chmod 700 {data}`." in ended.out
    )
    assert "PROBLEM  git: git version 2.20.1 is too old: install git 2.39 or later." in ended.out
    assert "ok       database" in ended.out


def test_doctor_tells_a_folder_that_could_not_be_made(tmp_path: Path):
    (tmp_path / "file").touch()
    data = tmp_path / "file" / "data"
    assert f"PROBLEM  data folder: The data folder {data} is not writable" in mujina("doctor", "--data", str(data)).out


def test_doctor_tells_a_database_that_is_not_reached(tmp_path: Path):
    ended = mujina("doctor", "--data", str(tmp_path), "--database-url", "postgresql://me:hunter22@127.0.0.1:1/x")
    assert ended.code == 1
    assert "PROBLEM  database: " in ended.out
    assert "hunter22" not in ended.out + ended.err


def test_version_tells_what_this_is():
    ended = mujina_process("version")
    assert ended.code == 0
    assert ended.out.startswith("mujina ")
    assert "API version 10.5.0-ee" in ended.out
    assert ended.out.startswith(mujina("--version").out)


def test_help_lists_the_verbs():
    told = mujina("--help").out
    assert all(
        verb in told
        for verb in ("serve", "worker", "migrate", "user", "token", "job", "mail", "config", "doctor", "version")
    )
