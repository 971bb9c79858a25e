"""Files that no row names are found by listing the storage, and removed once they are 30 days old."""

import asyncio
import os
import time

import pytest

from mujina.adapters.storage import FileStorage
from mujina.app import build_services
from mujina.kernel.storage.files import one_piece
from mujina.replication.files.operations import TooManyLeftovers, remove_leftovers
from mujina.settings import Settings
from tests.harness.client import File

OID = "cd" * 32
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


@pytest.fixture
def services(stage, database):
    return build_services(Settings(data=stage.folder, password_kilobytes=64), database)


@pytest.fixture
def sweep(services, loop):
    """Remove what is left over; the names of the files afterward, with those that were there before the test."""

    def sweep():
        loop.run_until_complete(remove_leftovers(services))
        return set(names_in(services))

    return sweep


def names_in(services):
    root = services.settings.data / "files"
    return [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]


def put(services, name, *, days=31):
    path = services.settings.data / "files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"content")
    written = time.time() - days * 86_400
    os.utime(path, (written, written))
    return name


def make_old(services, names):
    for name in names:
        os.utime(services.settings.data / "files" / name, (0, 0))


def test_files_without_a_row_go_and_files_with_a_row_stay(cast, services, sweep):
    before = set(names_in(services))
    cast.developer.post(f"/projects/{cast.private.id}/uploads", file=File("a.txt", b"kept"))
    cast.root.put(f"/users/{cast.root.get('/user').json['id']}", avatar=File("a.png", PNG))
    cast.owner.put(f"/projects/{cast.private.id}", avatar=File("a.png", PNG))
    cast.root.post("/topics", name="wool", avatar=File("a.png", PNG))
    kept = set(names_in(services)) - before
    assert len(kept) == 4
    make_old(services, kept)
    put(services, f"lfs/cd/cd/{OID}.0a1b2c3d")
    put(services, f"lfs/cd/cd/{OID}.0a1b2c3d#1")
    put(services, "uploads/ab/" + "ab" * 16)
    put(services, "uploads/ab/" + "ab" * 16 + "#2")
    for of in ("user", "project", "group", "topic"):
        put(services, f"avatars/{of}/{'ab' * 16}.png")
    young = {put(services, f"lfs/cd/cd/{OID}.4e5f6071#1", days=0.5), put(services, "uploads/cd/" + "cd" * 16, days=29)}
    foreign = {put(services, "something/else")}
    assert sweep() - before == kept | young | foreign
    for name in young | foreign:
        (services.settings.data / "files" / name).unlink()


def test_nothing_is_removed_if_most_files_seem_to_belong_to_nothing(cast, services, sweep):
    """As on a small instance whose database is another one by mistake."""
    names = {put(services, f"uploads/{number:02x}/{number:032x}") for number in range(11)}
    try:
        with pytest.raises(TooManyLeftovers, match="right database"):
            sweep()
        assert names <= set(names_in(services))
    finally:
        for name in names:
            (services.settings.data / "files" / name).unlink()


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_upload_has_no_name_until_it_is_whole(services, loop):
    before, name = set(names_in(services)), f"lfs/cd/cd/{OID}.99999999"

    async def interrupted():
        begun = asyncio.Event()

        async def pieces():
            yield b"x" * 6_000_000
            begun.set()
            await asyncio.sleep(3600)

        upload = asyncio.ensure_future(FileStorage(services.settings).put(name, pieces()))
        await begun.wait()
        seen = set(names_in(services))
        upload.cancel()
        await asyncio.wait([upload])
        return seen

    assert loop.run_until_complete(interrupted()) == before
    assert set(names_in(services)) == before


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize("unnamed", [True, False], ids=["here", "on a file system that has no files without a name"])
def test_an_upload_is_stored_whole_and_replaces_the_last_one(services, loop, monkeypatch, unnamed):
    if not unnamed:
        monkeypatch.delattr(os, "O_TMPFILE")
    storage, name = FileStorage(services.settings), f"lfs/cd/cd/{OID}.88888888"
    before = set(names_in(services))
    for content in (b"first", b"second"):
        loop.run_until_complete(storage.put(name, one_piece(content)))
        assert loop.run_until_complete(storage.get(name)) == content
    assert set(names_in(services)) - before == {name}
    loop.run_until_complete(storage.remove(name))
