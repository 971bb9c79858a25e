"""Commands on the data folder of a secondary: those that read work, those that change name the primary."""

from pathlib import Path

import pytest

from mujina.kernel.secrets import INSTANCE_KEY, instance_key
from mujina.replication.nodes.identity import NodeIdentity, store_identity
from tests.cli.command import mujina

PRIMARY = "https://primary.example.com/"
REFUSED = (
    ("user", "create", "zoe", "--email", "zoe@example.org"), ("user", "block", "root"), ("user", "unblock", "root"),
    ("user", "unlock", "root"), ("user", "admin", "root", "--off"), ("user", "delete", "root"),
    ("user", "disable-two-factor", "root"), ("user", "password", "root"),
    ("token", "create", "root", "--name", "x", "--scopes", "api"),
    ("token", "revoke", "root", "1"), ("ldap", "rename-provider", "ldapa", "ldapb"), ("geo", "init-primary", "https://x.test"),
    ("geo", "add-secondary", "https://x.test"), ("job", "retry", "--all"), ("job", "drain"), ("hook", "redeliver", "1"),
    ("hook", "resume", "1"), ("imported", "claim", "ann", "root"), ("seed", "world.yaml"), ("move-in", "http://127.0.0.1:1"),
    ("backup", "sets"), ("restore", "sets"), ("restore", "sets", "--only", "team/app"), ("worker",),
)  # fmt: skip
READ = (
    ("user", "list"), ("token", "list", "root"), ("ldap", "status"), ("geo", "status"), ("job", "list"),
    ("hook", "deliveries"), ("audit",), ("imported", "list"), ("storage",), ("mail", "list"), ("config", "show"),
    ("version",), ("migrate",), ("export", "team/app", "app.tar.gz"),
)  # fmt: skip


@pytest.fixture
def run(migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A command on an instance with a user and a project, whose folder is then that of a secondary."""
    data = tmp_path / "data"
    environment = {"MUJINA_DATA": str(data), "MUJINA_DATABASE_URL": migrated_url}
    monkeypatch.chdir(tmp_path)
    world = "groups: [{path: team}]\nprojects: [{path: team/app}]\n"
    (tmp_path / "world.yaml").write_text(world)
    assert mujina("user", "create", "root", "--email", "root@example.org", "--admin", **environment).code == 0
    assert mujina("seed", "world.yaml", **environment).code == 0
    identity = NodeIdentity(2, "https://secondary.example.com/", PRIMARY, "access-key", "secret")
    key = instance_key(data, None)
    (data / "secrets" / INSTANCE_KEY).unlink()
    store_identity(data, identity, instance_key=key, ssh_host_key="key")
    return lambda *words: mujina(*words, **environment, MUJINA_MOVE_IN_TOKEN="of-the-source")


def test_what_would_change_the_instance_is_refused_with_the_address_of_the_primary(run):
    sentence = f"This is a secondary: run this on the primary, {PRIMARY}"
    assert {words: run(*words).error for words in REFUSED} == dict.fromkeys(REFUSED, sentence)


def test_what_only_reads_works(run):
    assert {words: (done.code, done.err) for words in READ if (done := run(*words)).code or done.err} == {}
