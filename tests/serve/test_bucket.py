"""Files in a bucket of a real object store: stored and read whole or in part, removed, listed; and a store that is away."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Generator
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mujina.adapters.storage import BATCH, FileStorage
from mujina.kernel.storage.errors import FAILING
from mujina.settings import Settings
from tests.cli.command import mujina_process
from tests.harness.encoding import BOUNDARY, multipart
from tests.harness.object_store import URL, ObjectStore, object_store
from tests.harness.running import RunningServer, running

pytestmark = pytest.mark.long(15)
LARGE = os.urandom(12_000_000)
"""More than two parts of an upload."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Generator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("object-store")) as store:
        yield store


@pytest.fixture
def files(store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileStorage:
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    return FileStorage(Settings(data=tmp_path, storage_url=f"{URL}/{tmp_path.name}"))


async def pieces(data: bytes, error: Exception | None = None) -> AsyncIterator[bytes]:
    for start in range(0, len(data), 100_000):
        yield data[start : start + 100_000]
    if error is not None:
        raise error


async def read(files: FileStorage, name: str, *part: int) -> bytes:
    return b"".join([bytes(piece) async for piece in await files.pieces(name, *part)])


async def listed(files: FileStorage, folder: str) -> list[str]:
    return [name async for names in files.old_files(folder, timedelta(0)) for name in names]


def test_a_file_is_stored_read_and_removed(files: FileStorage):
    async def story() -> None:
        await files.put("uploads/small", b"abcdef")
        await files.put("lfs/large", pieces(LARGE))
        assert (await files.get("uploads/small"), await files.get("uploads/none")) == (b"abcdef", None)
        assert await read(files, "lfs/large") == LARGE
        assert await read(files, "lfs/large", 5_000_000, 10_500_000) == LARGE[5_000_000:10_500_000]
        assert await read(files, "lfs/large", 11_999_990) == LARGE[-10:]
        with pytest.raises(FileNotFoundError):
            await files.pieces("lfs/none")
        await files.remove("lfs/large")
        await files.remove("lfs/large")
        assert (await files.get("lfs/large"), await files.get("uploads/small")) == (None, b"abcdef")

    asyncio.run(story())


def test_an_upload_that_breaks_off_stores_nothing(files: FileStorage):
    async def story() -> None:
        with pytest.raises(ValueError, match="broke off"):
            await files.put("lfs/broken", pieces(LARGE, ValueError("broke off")))
        assert await files.get("lfs/broken") is None
        assert await listed(files, "lfs") == []

    asyncio.run(story())


def test_a_long_listing(files: FileStorage):
    names = {f"uploads/{number:04}" for number in range(BATCH + 5)}

    async def story() -> None:
        for start in range(0, len(names), 50):
            await asyncio.gather(*(files.put(name, b"x") for name in sorted(names)[start : start + 50]))
        assert set(await listed(files, "uploads")) == names
        assert [batch async for batch in files.old_files("uploads", timedelta(days=1))] == [[], []]

    asyncio.run(story())


def request(server: RunningServer, verb: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    try:
        connection.request(verb, path, body, {"Private-Token": server.token, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def upload(server: RunningServer, content: bytes) -> tuple[int, bytes]:
    body = multipart({}, file=("notes.txt", content))
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    return request(server, "POST", "/api/v4/projects/1/uploads", body, **kind)


@pytest.fixture
def served(store: ObjectStore, tmp_path: Path) -> Generator[RunningServer]:
    environment = store.environment | {"MUJINA_STORAGE_URL": f"{URL}/{tmp_path.name}"}
    with running(tmp_path, **environment) as server:
        status, answer = request(server, "POST", "/api/v4/projects?name=kept&visibility=public")
        assert status == 201, answer
        yield server


def test_a_store_that_is_away_is_a_503_until_it_is_back(served: RunningServer, store: ObjectStore):
    status, answer = upload(served, b"before")
    assert status == 201, answer
    before = f"/root/kept{json.loads(answer)['url']}"
    assert request(served, "GET", before) == (200, b"before")
    store.kill()
    status, answer = upload(served, b"meanwhile")
    assert (status, FAILING in json.loads(answer)["message"]) == (503, True)
    assert request(served, "GET", before)[0] == 503
    assert request(served, "GET", "/-/readiness")[0] == 503
    assert request(served, "GET", "/api/v4/projects/1")[0] == 200
    store.start()
    assert request(served, "GET", before) == (200, b"before")
    assert (upload(served, b"after")[0], request(served, "GET", "/-/readiness")[0]) == (201, 200)


def test_a_server_that_is_killed_during_an_upload_leaves_no_file(served: RunningServer, files: FileStorage):
    connection = HTTPConnection(urlsplit(served.url).netloc, timeout=60)
    address = f"/root/kept.git/gitlab-lfs/objects/{'ab' * 32}/{2 * len(LARGE)}"
    connection.putrequest("PUT", address)
    connection.putheader("Content-Length", str(2 * len(LARGE)))
    connection.putheader("Authorization", "Basic cm9vdDpyb290LXRva2VuLW9mLXRlc3Rz")  # root and the token of tests
    connection.endheaders(LARGE)
    served.kill()
    connection.close()
    assert asyncio.run(listed(files, "lfs")) == []
    served.start()
    assert upload(served, b"after")[0] == 201


def test_a_start_without_the_right_key_or_bucket_is_refused(
    served: RunningServer, store: ObjectStore, files: FileStorage, tmp_path: Path
):
    assert (upload(served, b"kept")[0], served.stop()) == (201, 0)
    instance = ("--data", str(served.data), "--database-url", served.database_url)
    url = f"{URL}/{tmp_path.name}"
    right = store.environment | {"MUJINA_STORAGE_URL": url}

    def told(**environment: str) -> str:
        found = mujina_process("doctor", *instance, **right | environment).out
        refused = mujina_process("serve", "--port", "0", *instance, **right | environment).error
        assert f"PROBLEM  stored data: {refused}" in found or "is empty" in refused
        return refused

    assert told(AWS_SECRET_ACCESS_KEY="wrong").startswith(f"The bucket {url} refuses the key: check AWS_ACCESS_KEY_ID")
    away = told(AWS_ENDPOINT_URL="http://127.0.0.1:1")
    assert away.startswith(f"The bucket {url} cannot be used: see that it exists and runs, and check AWS_ENDPOINT_URL")
    assert told(MUJINA_STORAGE_URL=f"{URL}/other").startswith(
        f"The bucket {URL}/other is empty, but the database knows"
    )
    assert "ok       stored data" in mujina_process("doctor", *instance, **right).out
    [lost] = asyncio.run(listed(files, "uploads"))
    asyncio.run(files.remove(lost))
    assert f"missing below {served.data}: {lost}" in mujina_process("doctor", *instance, **right).out
