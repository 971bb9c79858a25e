"""A start of this version upgrades the data of every former release: all of it reads and can be changed as before."""

import pytest

from mujina.kernel.build import VERSION
from tests.harness.running import RunningServer
from tests.migrations.releases.frozen import RELEASES, unpack
from tests.migrations.releases.going_on import goes_on


@pytest.fixture(params=RELEASES)
def upgraded(request, engine, database_url, tmp_path):
    """A server of this version on the frozen instance of a release, and what is known about that."""
    url = database_url if engine == "postgres" else f"sqlite:///{tmp_path}/data/mujina.db"
    recorded = unpack(request.param, engine, tmp_path, url)
    server = RunningServer(tmp_path / "data", url)
    server.start()
    yield server, recorded
    server.kill()


def test_everything_reads_and_is_changed_as_before(upgraded, engine, tmp_path):
    server, recorded = upgraded
    assert "The database was upgraded by the revisions 0002" in (tmp_path / "data.1.log").read_text()
    assert (tmp_path / f"data/mujina.db.before-{VERSION}").exists() == (engine == "sqlite")
    goes_on(server, recorded, tmp_path)
