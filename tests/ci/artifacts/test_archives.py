"""One file out of a zip archive."""

import asyncio
import contextlib
import io
import stat
import struct
import zipfile

import pytest

from mujina.ci.artifacts import archives
from mujina.ci.artifacts.archives import BadArchive, find_entry, inflate, is_safe, list_entries


def zipped(*files, method=zipfile.ZIP_DEFLATED):
    """An archive of (name or ZipInfo, content): the same bytes at any time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name) if isinstance(name, str) else name, content, method)
    return stream.getvalue()


def open_from(data):
    async def pieces(start, end):
        for position in range(start, end, 10_000):
            yield data[position : min(position + 10_000, end)]

    async def open_bytes(start, end):
        assert 0 <= start < end <= len(data)
        return pieces(start, end)

    return open_bytes


def content_of(data, name):
    async def run():
        entry = await find_entry(open_from(data), len(data), name)
        return entry and b"".join([piece async for piece in inflate(open_from(data), len(data), entry)])

    return asyncio.run(run())


def names_of(data):
    async def run():
        return [entry.name async for entry in list_entries(open_from(data), len(data))]

    return asyncio.run(run())


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_file_is_read(method):
    large = bytes(range(256)) * 2_000
    data = zipped(("a.txt", b"hello"), ("dir/ü.bin", large), ("dir/empty", b""), method=method)
    assert content_of(data, "a.txt") == b"hello"
    assert content_of(data, "dir/ü.bin") == large
    assert content_of(data, "dir/empty") == b""
    assert content_of(data, "dir") is None
    assert content_of(data, "A.TXT") is None


def test_a_directory_of_many_files_is_searched_in_blocks():
    data = zipped(*((f"folder/file-{n}", str(n).encode()) for n in range(3_000)))
    assert content_of(data, "folder/file-2999") == b"2999"
    assert len(names_of(data)) == 3_000


def test_an_archive_of_64_bits_is_read(monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    data = zipped(("a.txt", b"hello" * 10), ("b.txt", b"there" * 10))
    assert b"PK\x06\x06" in data
    assert content_of(data, "b.txt") == b"there" * 10


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "a//b", ".", "", "a\0b", "..\\x", "a/./b"])
def test_hostile_names_are_never_served(name):
    assert not is_safe(name)
    if name and "\0" not in name:
        assert content_of(zipped((zipfile.ZipInfo(name), b"x")), name) is None


def test_neither_links_nor_folders_nor_encrypted_files_are_served():
    link = zipfile.ZipInfo("link")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    data = zipped((link, b"/etc/passwd"), (zipfile.ZipInfo("folder/"), b""), ("secret", b"x"))
    assert content_of(data, "link") is None
    assert content_of(data, "folder/") is None
    at = data.rfind(b"PK\x01\x02")
    flags = struct.pack("<H", struct.unpack_from("<H", data, at + 8)[0] | 1)
    assert content_of(data[: at + 8] + flags + data[at + 10 :], "secret") is None


def test_a_file_larger_than_it_says_is_cut_off():
    data = bytearray(zipped(("bomb", b"\0" * 1_000_000)))
    struct.pack_into("<L", data, data.rfind(b"PK\x01\x02") + 24, 10)
    with pytest.raises(BadArchive, match="larger"):
        content_of(bytes(data), "bomb")


def test_a_damaged_file_is_noticed():
    data = zipped(("a.txt", b"hello"), method=zipfile.ZIP_STORED)
    for damaged in (data.replace(b"hello", b"hallo"), data.replace(b"PK\x03\x04", b"PK\x03\x05")):
        with pytest.raises(BadArchive):
            content_of(damaged, "a.txt")


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x05\x06", b"PK\x05\x06" + b"\xff" * 18, b"x" * 100_000])
def test_other_files_are_refused(data):
    with pytest.raises(BadArchive):
        names_of(data)


def test_any_damage_ends_in_an_error_or_in_the_content():
    whole = zipped(("a.txt", b"hello"), ("b.txt", b"there"))
    for position in range(len(whole)):
        for value in (0, 255, whole[position] ^ 1):
            data = whole[:position] + bytes([value]) + whole[position + 1 :]
            with contextlib.suppress(BadArchive):
                assert content_of(data, "b.txt") in (b"there", None), position


def test_a_directory_that_is_too_large_is_not_searched(monkeypatch):
    monkeypatch.setattr(archives, "MAX_DIRECTORY", 50)
    with pytest.raises(BadArchive, match="too large"):
        names_of(zipped(("a", b""), ("b", b"")))
