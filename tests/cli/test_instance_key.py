"""A key is made for a new instance only. Commands without the key of an existing one refuse, and write nothing."""

import json
from pathlib import Path

import pytest

from mujina.kernel.secrets import Vault, new_key, ssh_host_key
from mujina.migrations.revisions import known
from mujina.replication.nodes.identity import NodeIdentity, store_identity
from mujina.testing.client import Mujina
from tests.cli.command import Result, mujina, mujina_process
from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer

ANY_PORTS = {"MUJINA_PORT": "0", "MUJINA_SSH_PORT": "0"}
TOKEN = {"MUJINA_MOVE_IN_TOKEN": "token"}
WHAT_TO_DO = "Give that key again (secrets/instance.key in the data folder, or the setting instance_key)."


class Keyless:
    """A running server whose key only its environment had, and commands that do not have it."""

    def __init__(self, server: RunningServer, folder: Path) -> None:
        self.server = server
        self.file = server.data / "secrets" / "instance.key"
        self.key = self.file.read_text().strip()
        self.file.unlink()
        self.belongs = f"This database belongs to the instance key {Vault(self.key).key_id}, but "
        self.world = folder / "world.json"
        self.world.write_text(json.dumps({"groups": [{"path": "team"}]}))
        self.commands = [
            ("seed", str(self.world)),
            ("export", "team", str(folder / "team.tar.gz"), "--group"),
            ("move-in", "http://127.0.0.1:1", "--group", "team"),
            ("job", "drain"),
            ("backup", str(folder / "backups")),
            ("worker",),
            ("serve",),
        ]

    def run(self, *words: str, **environment: str) -> Result:
        run = mujina_process if words[0] in {"serve", "worker"} else mujina
        where = ("--data", str(self.server.data), "--database-url", self.server.database_url)
        return run(*words, *where, **ANY_PORTS | TOKEN | environment)

    def facts(self) -> list[str]:
        """What commands would store about the instance."""
        sql = "SELECT f.name || f.value FROM instance_facts f ORDER BY f.name"
        return in_transaction(self.server.database_url, lambda tx: tx.values(sql))


@pytest.fixture
def keyless(running_server: RunningServer, tmp_path: Path) -> Keyless:
    return Keyless(running_server, tmp_path)


def test_commands_without_the_key_refuse_and_make_none(keyless: Keyless, tmp_path: Path):
    facts = keyless.facts()
    for words in keyless.commands:
        assert keyless.run(*words).error == f"{keyless.belongs}there is none in {keyless.file}. {WHAT_TO_DO}", words
        assert not keyless.file.exists(), words
    assert keyless.facts() == facts
    assert not (tmp_path / "backups").exists() or not list((tmp_path / "backups").iterdir())
    given = {"MUJINA_INSTANCE_KEY": keyless.key}
    assert keyless.run("seed", str(keyless.world), **given).code == 0
    instance = Mujina(keyless.server.url, keyless.server.token)
    assert [group["path"] for group in instance.request("GET", "/groups")] == ["team"]
    assert keyless.run("backup", str(tmp_path / "backups"), **given).code == 0
    assert not keyless.file.exists()


def test_commands_with_another_key_refuse(keyless: Keyless):
    keyless.file.write_text(new_key())
    other = Vault(keyless.file.read_text()).key_id
    facts = keyless.facts()
    for words in keyless.commands:
        assert keyless.run(*words).error == f"{keyless.belongs}the key in use is {other}. {WHAT_TO_DO}", words
    assert keyless.facts() == facts


def test_doctor_names_a_key_that_is_missing_or_another(keyless: Keyless):
    found = keyless.run("doctor")
    assert (found.code, f"PROBLEM  instance key: {keyless.belongs}there is none in" in found.out) == (1, True)
    found = keyless.run("doctor", MUJINA_INSTANCE_KEY=new_key())
    assert (found.code, f"PROBLEM  instance key: {keyless.belongs}the key in use is" in found.out) == (1, True)
    assert WHAT_TO_DO in found.out
    keyless.file.write_text("no key")
    assert "PROBLEM  instance key: The instance key must be 32 bytes" in keyless.run("doctor").out
    keyless.file.write_text(keyless.key)
    found = keyless.run("doctor")
    assert (found.code, f"ok       instance key: {Vault(keyless.key).key_id}, " in found.out) == (0, True), found.out


def test_a_database_belongs_to_the_key_of_the_first_command(tmp_path: Path, migrated_url: str):
    """Which may be another than `serve`."""
    file = tmp_path / "world.json"
    file.write_text("{}")
    where = ("--data", str(tmp_path / "data"), "--database-url", migrated_url)
    (tmp_path / "data").mkdir(mode=0o700)
    assert "ok       instance key: none is needed" in mujina("doctor", *where, **ANY_PORTS).out
    assert mujina("user", "create", "ada", "--email", "ada@example.com", "--admin", *where).code == 0
    assert mujina("seed", str(file), *where, MUJINA_INSTANCE_KEY=new_key()).code == 0
    assert "belongs to the instance key" in mujina("seed", str(file), *where).error
    assert not (tmp_path / "data" / "secrets" / "instance.key").exists()


def test_a_database_is_not_upgraded_without_its_key(keyless: Keyless):
    older, url = " ".join(known()[:-1]), keyless.server.database_url
    in_transaction(url, lambda tx: tx.run("UPDATE schema_revision SET revision = :older", older=older))
    for words in (
        ("serve",),
        ("serve", "--workers", "2"),
        ("worker",),
        ("backup", str(keyless.world.parent / "backups")),
    ):
        assert keyless.run(*words).error == f"{keyless.belongs}there is none in {keyless.file}. {WHAT_TO_DO}", words
    assert in_transaction(url, lambda tx: tx.value("SELECT revision FROM schema_revision")) == older
    assert not keyless.file.exists()


def test_a_secondary_does_not_change_a_database_with_another_schema(tmp_path: Path, database_url: str):
    data = tmp_path / "data"
    identity = NodeIdentity(2, "http://127.0.0.1/", "http://127.0.0.1:1/", "key", "word")
    store_identity(data, identity, instance_key=new_key(), ssh_host_key=ssh_host_key(tmp_path / "other").read_text())
    for workers in ("1", "2"):
        refused = mujina_process(
            "serve", "--workers", workers, "--data", str(data), "--database-url", database_url, **ANY_PORTS
        )
        assert refused.error == (
            "The database has another schema than this Mujina (empty): install that of the primary."
        )


def test_a_key_that_is_rotated_is_known_to_the_next_command(keyless: Keyless):
    keyless.file.write_text(f"{new_key()}\n{keyless.key}\n")
    assert keyless.run("seed", str(keyless.world)).code == 0
    keyless.file.write_text(keyless.key)
    assert "belongs to the instance key" in keyless.run("seed", str(keyless.world)).error
