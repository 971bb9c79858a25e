"""The files of jobs as secondaries and operators find them."""

import hashlib

from mujina.planning.storage.files import find_files, find_keys, list_files
from mujina.replication.files.transfers import open_file, request_data


def test_a_secondary_is_offered_the_file_with_its_checksum(runner, cast):
    runner.upload(b"PK and more")
    [(artifact_id, key)] = cast.transact(lambda tx: list_files(tx, "job_artifact", 0, 10))

    async def offered():
        file = await open_file(
            runner.services, "job_artifact", artifact_id, request_data("job_artifact", artifact_id, key)
        )
        return b"".join([bytes(piece) async for piece in file.pieces]), file.checksum

    content = cast.root.loop.run_until_complete(offered())
    assert content == (b"PK and more", hashlib.sha256(b"PK and more").hexdigest())


def test_an_artifact_that_has_expired_has_no_file(runner, cast):
    runner.upload(b"PK and more")
    [(artifact_id, key)] = cast.transact(lambda tx: list_files(tx, "job_artifact", 0, 10))
    assert cast.transact(lambda tx: find_keys(tx, "job_artifact", [key, "artifacts/aa/bb/other"])) == {key}
    cast.run("UPDATE job_artifacts SET file = NULL")
    assert cast.transact(lambda tx: find_files(tx, "job_artifact", [artifact_id])) == {}
    assert cast.transact(lambda tx: find_keys(tx, "job_artifact", [key])) == set()
