"""`mujina geo` on one instance."""

import pytest

from tests.cli.command import mujina


@pytest.fixture
def instance(migrated_url, tmp_path):
    environment = {"MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": migrated_url}

    def run(*arguments, **more):
        return mujina(*arguments, **environment | more)

    return run


def test_an_instance_is_a_primary_alone_until_it_has_secondaries(instance, engine):
    alone = "This instance uses SQLite: it is a primary alone. Replication needs PostgreSQL."
    before = instance("geo", "status")
    assert before.out.splitlines()[0].split()[:4] == ["id", "url", "role", "enabled"]
    assert before.out.splitlines()[1].split()[:5] == ["1", "http://127.0.0.1:8080/", "primary", "yes", "Healthy"]
    if engine == "sqlite":
        assert before.out.splitlines()[2:] == [alone]
        assert instance("geo", "init-primary", "https://one.example").error == alone
        return
    assert len(before.out.splitlines()) == 2
    assert "external_url" in instance("geo", "init-primary").error
    assert instance("geo", "init-primary", "nonsense").error == "URL scheme must be http or https"
    made = instance("geo", "init-primary", MUJINA_EXTERNAL_URL="https://one.example")
    assert made.out == "This instance is the primary at https://one.example/\n"
    assert instance("geo", "init-primary", "https://two.example").code == 0
    assert instance("geo", "status").out.splitlines()[1].split()[:3] == ["1", "https://two.example/", "primary"]


@pytest.mark.usefixtures("set_edition")
def test_a_lower_edition_refuses(instance):
    assert instance("geo", "status", MUJINA_EDITION="core").error == (
        "The edition core has no replication: see the setting edition."
    )
