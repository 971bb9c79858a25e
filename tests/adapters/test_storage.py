"""The store of files: what it keeps survives a power loss, and nobody else waits for the disk."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mujina.adapters.storage import FileStorage
from mujina.adapters.storage_marker import mark
from mujina.settings import Settings


async def large() -> AsyncIterator[bytes]:
    yield b"one"
    yield b"two"


def test_a_file_is_on_disk_with_every_folder_that_leads_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    flushed: dict[Path, int] = {}
    flush = os.fsync

    def seen(handle: int) -> None:
        flushed[Path(f"/proc/self/fd/{handle}").readlink()] = threading.get_ident()
        flush(handle)

    async def story() -> None:
        store = FileStorage(Settings(data=tmp_path))
        await store.put("uploads/ab/small", b"x")
        await store.put("lfs/large", large())
        assert (await store.get("uploads/ab/small"), await store.get("lfs/large")) == (b"x", b"onetwo")

    files = tmp_path / "files"
    mark(files)
    monkeypatch.setattr(os, "fsync", seen)
    asyncio.run(story())
    folders = {tmp_path, files, files / "uploads", files / "uploads/ab", files / "lfs"}
    assert folders | {files / "uploads/ab/small", files / "lfs/large"} == flushed.keys()
    assert threading.get_ident() not in flushed.values(), "the event loop waited for the disk"


def test_a_part_of_a_file_is_read(tmp_path: Path):
    async def story() -> list[bytes]:
        store = FileStorage(Settings(data=tmp_path))
        await store.put("lfs/large", large())
        parts = [(0, None), (0, 2), (2, 4), (4, None)]
        return [b"".join([bytes(piece) async for piece in await store.pieces("lfs/large", *part)]) for part in parts]

    mark(tmp_path / "files")
    assert asyncio.run(story()) == [b"onetwo", b"on", b"et", b"wo"]
