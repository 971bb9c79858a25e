"""LFS on a secondary: it offers and sends the objects that it has, and the primary does the rest."""

import base64
import hashlib
import json

import pytest

from mujina.app import build, build_services
from mujina.kernel import errors
from mujina.replication.files.transfers import open_file, request_data
from mujina.settings import Settings
from tests.adapters.receiver import Receiver, answer
from tests.harness.client import Client, Raw
from tests.harness.in_process_secondary import URL, secondary_services

CONTENT = b"large" * 100
OID = hashlib.sha256(CONTENT).hexdigest()
UNKNOWN = "0" * 64


@pytest.fixture
def engine():
    """Only PostgreSQL has secondaries."""
    return "postgres"


@pytest.fixture
def place(cast):
    """The address of a public project with one object."""
    place = f"//{cast.public.path}.git"
    sent = Raw(body=CONTENT, headers=login(cast.developer))
    assert cast.anonymous.put(f"{place}/gitlab-lfs/objects/{OID}/{len(CONTENT)}", sent).status == 200
    return place


def login(person):
    return {"Authorization": f"Basic {base64.b64encode(f'x:{person.token}'.encode()).decode()}"}


def batch(client, place, *oids, operation="download", headers=None):
    body = {"operation": operation, "objects": [{"oid": oid, "size": len(CONTENT)} for oid in oids]}
    return client.post(f"{place}/info/lfs/objects/batch", Raw(body=json.dumps(body).encode(), headers=headers or {}))


def lose_file(stage):
    [path] = (stage.folder / "files" / "lfs").rglob(f"{OID}.*")
    path.unlink()


def test_objects_that_are_copied_are_served_without_the_primary(stage, cast, database, nodes, place, tmp_path):
    with secondary_services(stage, database, stage.folder, tmp_path / "secondary", nodes[1]) as services:
        here = Client(build(services), stage.loop)
        offered = batch(here, place, OID)
        assert offered.status == 200, offered
        href = offered.json["objects"][0]["actions"]["download"]["href"]
        assert href == f"{URL}{place[1:]}/gitlab-lfs/objects/{OID}"
        assert here.get(f"/{href.removeprefix(URL)}").body == CONTENT
        there, missing = batch(here, place, OID, UNKNOWN).json["objects"]
        assert ("actions" in there, missing["error"]["code"]) == (True, 404)
        assert batch(here, place, OID, operation="upload", headers=login(cast.developer)).status == 503


def test_the_primary_answers_what_is_not_here(stage, cast, database, nodes, place, tmp_path):
    of_primary = {"Connection": "close", "X_Mujina_Log_Position": "0/1"}
    receiver = Receiver(answer(b"of the primary", **of_primary))
    listening = receiver.listening()
    stage.loop.run_until_complete(listening.__aenter__())
    url = f"http://127.0.0.1:{receiver.port}/"
    try:
        with secondary_services(
            stage, database, stage.folder, tmp_path / "secondary", nodes[1], primary_url=url
        ) as services:
            here = Client(build(services), stage.loop)
            assert batch(here, place, OID).json["objects"][0]["oid"] == OID
            assert receiver.received == []
            assert batch(here, place, OID, UNKNOWN).body == b"of the primary"
            assert UNKNOWN in receiver.received[-1].body.decode()
            stage.loop.run_until_complete(mark_copied(services, database))
            lose_file(stage)
            assert here.get(f"{place}/gitlab-lfs/objects/{OID}").body == b"of the primary"
            assert len(receiver.received) == 2
            assert stage.loop.run_until_complete(failures(services)) == ["The file was missing on this node"]
    finally:
        stage.loop.run_until_complete(listening.__aexit__(None, None, None))


def test_a_primary_that_lost_an_object_says_so(stage, cast, place):
    lose_file(stage)
    lost = cast.anonymous.get(f"{place}/gitlab-lfs/objects/{OID}")
    assert (lost.status, "missing from the server" in lost.json["message"]) == (503, True)


def test_a_secondary_learns_that_the_primary_lost_a_file(stage, cast, database, place):
    lose_file(stage)
    services = build_services(Settings(data=stage.folder, password_kilobytes=64), database)

    async def ask():
        async with database.reading() as tx:
            object_id, key = await tx.row(
                tuple[int, str], "SELECT o.id, o.file FROM lfs_objects o WHERE o.oid = :oid", oid=OID
            )
        await open_file(services, "lfs", object_id, request_data("lfs", object_id, key))

    with pytest.raises(errors.Unavailable) as lost:  # and not 404, after which the secondary would forget the file
        stage.loop.run_until_complete(ask())
    assert "missing from the server's storage" in lost.value.body["message"]


async def mark_copied(services, database):
    async with database.reading() as tx:
        file = await tx.value("SELECT o.file FROM lfs_objects o WHERE o.oid = :oid", oid=OID)
    async with services.registry.transaction() as tx:
        await tx.run(
            """INSERT INTO replicated_files (key, kind, object_id, succeeded, due_at)
               VALUES (:key, 'lfs', 1, TRUE, '2026-01-01T00:00:00.000Z')""",
            key=file,
        )


async def failures(services):
    async with services.registry.reading() as tx:
        return await tx.values("SELECT f.failure FROM replicated_files f WHERE NOT f.succeeded")
