"""Files that a secondary has not copied yet, or has lost: the primary answers."""

import pytest

from mujina.app import build
from tests.adapters.receiver import Receiver, answer
from tests.harness.client import Client, Raw
from tests.harness.in_process_secondary import secondary_services


@pytest.fixture
def engine():
    """Only PostgreSQL has secondaries."""
    return "postgres"


@pytest.fixture
def primary(stage):
    """A primary that answers everything with the same words."""
    receiver = Receiver(answer(b"of the primary", Connection="close", X_Mujina_Log_Position="0/1"))
    listening = receiver.listening()
    stage.loop.run_until_complete(listening.__aenter__())
    yield f"http://127.0.0.1:{receiver.port}/"
    stage.loop.run_until_complete(listening.__aexit__(None, None, None))


def test_the_primary_sends_a_package_that_is_not_here(stage, cast, database, nodes, primary, tmp_path):
    path = f"/projects/{cast.public.id}/packages/generic/tool/1/tool.txt"
    assert cast.developer.put(path, Raw(body=b"a tool")).status == 201
    with secondary_services(
        stage, database, stage.folder, tmp_path / "secondary", nodes[1], primary_url=primary
    ) as services:
        here = Client(build(services), stage.loop)
        assert here.get(path).body == b"a tool"
        [file] = [
            each for each in (stage.folder / "files").rglob("*") if each.is_file() and each.read_bytes() == b"a tool"
        ]
        file.unlink()
        assert here.get(path).body == b"of the primary"
        assert here.get(path.replace("tool.txt", "nothing.txt")).status == 404
