"""Content that no project has any more is removed, and never what somebody brings at the same moment."""

import pytest

from mujina.code.lfs import operations
from mujina.kernel.permissions.actor import SYSTEM

OID = "ab" * 32


@pytest.fixture
def do(cast):
    """One step in a transaction of its own."""
    return lambda operation, *said: cast.transact(lambda tx: operation(tx, *said))


@pytest.fixture
def upload(do):
    def upload(project):
        file = operations.new_file(OID)
        return file, do(operations.store_object, SYSTEM, project.id, OID, 5, file)

    return upload


async def drop(tx, project):
    await tx.run("DELETE FROM lfs_links WHERE project_id = :id", id=project.id)


def test_content_stays_while_one_project_has_it(cast, do, upload):
    file, kept = upload(cast.private)
    double, kept_again = upload(cast.public)
    assert (kept, kept_again, double == file) == (True, False, False)
    do(drop, cast.private)
    assert do(operations.take_unused) == []
    assert do(operations.find, cast.public.id, OID) == (file, 5)
    assert do(operations.find, cast.private.id, OID) is None


def test_unused_content_is_removed_and_content_that_comes_meanwhile_stays(cast, do, upload):
    file, _ = upload(cast.private)
    do(drop, cast.private)
    assert do(operations.take_unused) == [file]
    again, kept = upload(cast.public)
    assert kept
    assert again != file
    assert do(operations.take_unused) == []
    assert do(operations.find, cast.public.id, OID) == (again, 5)
