"""Files that a secondary has not copied yet, or has lost: the primary answers."""

import base64
import hashlib

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


def test_the_primary_sends_an_archive_whose_lfs_object_is_not_here(stage, cast, database, nodes, primary, tmp_path):
    content, at = b"a large file", f"/projects/{cast.public.id}/repository"
    oid = hashlib.sha256(content).hexdigest()
    login = {"Authorization": f"Basic {base64.b64encode(f'x:{cast.owner.token}'.encode()).decode()}"}
    place = f"//{cast.public.path}.git/gitlab-lfs/objects/{oid}/{len(content)}"
    assert cast.anonymous.put(place, Raw(body=content, headers=login)).status == 200
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
    action = {"action": "create", "file_path": "large", "content": pointer}
    made = cast.owner.post(f"{at}/commits", branch="master", commit_message="Add it", actions=[action])
    assert made.status == 201, made
    cast.transact(lambda tx: tx.run("DELETE FROM replication_log"))  # the secondary has copied the repository
    with secondary_services(
        stage, database, stage.folder, tmp_path / "secondary", nodes[1], primary_url=primary
    ) as services:
        here = Client(build(services), stage.loop)
        assert content in here.get(f"{at}/archive.tar").body
        [file] = (stage.folder / "files" / "lfs").rglob(f"{oid}.*")
        file.unlink()
        assert here.get(f"{at}/archive.tar").body == b"of the primary"
        assert pointer.encode() in here.get(f"{at}/archive.tar", include_lfs_blobs=False).body
