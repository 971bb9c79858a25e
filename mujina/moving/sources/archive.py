"""An archive as a source: the documents that the API v4 of another instance gave, read from a file, without a network."""

import asyncio
import hashlib
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import msgspec

from mujina.moving.archives.unpacking import UnusableArchive, unpack
from mujina.moving.archives.writing import DOCUMENTS, FORMAT, MANIFEST, VERSION, ArchiveManifest, DocumentLine
from mujina.moving.sources.api_v4 import ApiV4
from mujina.moving.sources.forge import ReportProblem
from mujina.moving.sources.operations import EMPTY, MAX_PAGE_BYTES, Query, SourceAnswer, SourceClient, SourceError
from mujina.moving.sources.records import (
    LfsActions,
    LfsDownload,
    SourceLabel,
    SourceLfsObject,
    SourcePerson,
    SourceProject,
)

PIECE: Final = 256 * 1024
ALONE: Final = "import:"
"""How the address of an archive begins that fills one project."""
MAX_LINES: Final = 1_000_000
MAX_PATH_LENGTH: Final = 1_000
_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,255}(/[\w./-]{0,200})?")
_Place = tuple[Path, int, int]
"""A file, and where a document begins and how long its line is."""


class Archive(SourceClient):
    """The documents of an unpacked archive, found by their paths. Nothing in it is trusted."""

    def __init__(self, address: str, manifest: ArchiveManifest, members: dict[str, Path]) -> None:
        super().__init__((), address, {})
        self.manifest = manifest
        self._members = members
        self._places: dict[str, list[_Place]] = defaultdict(list)
        self._files: dict[str, Path] = {}
        lines = 0
        for name, file in members.items():
            if name.startswith(f"{DOCUMENTS}/"):
                lines = self._index(file, lines)

    def _index(self, file: Path, lines: int) -> int:
        """Note where each document of the file is; how many lines were read by now."""
        with file.open("rb") as opened:
            start = 0
            while line := opened.readline(MAX_PAGE_BYTES):
                lines += 1
                if lines > MAX_LINES:
                    raise UnusableArchive(f"It has more than {MAX_LINES} documents.")
                found = _read_line(line)
                if found.file and found.file in self._members:
                    self._files[found.path] = self._members[found.file]
                elif len(found.body):
                    self._places[found.path].append((file, start, len(line)))
                start += len(line)
        return lines

    def member(self, path: str) -> Path | None:
        """The file at the path."""
        return self._files.get(path)

    async def get(self, path: str, query: Query = EMPTY, *, max_bytes: int = MAX_PAGE_BYTES) -> SourceAnswer:
        if (file := self._files.get(path)) is not None:
            if file.stat().st_size > max_bytes:
                raise SourceError(f"{self.address}{path}", f"It is longer than {max_bytes} bytes.")
            return SourceAnswer(200, {}, file.read_bytes(), truncated=False)
        places, page = self._places.get(path, []), int(query.get("page", 1))
        if page <= len(places):
            following = str(page + 1) if page < len(places) else ""
            return SourceAnswer(200, {"x-next-page": following}, _read_body(places[page - 1]), truncated=False)
        if not query:
            raise SourceError(f"{self.address}{path}", "It is not in the archive.", 404)
        return SourceAnswer(200, {"x-next-page": ""}, b"[]", truncated=False)  # a list without objects is left out

    async def file(self, url: str, max_bytes: int) -> bytes:
        """The file that the archive has for this address; nothing is fetched."""
        return (await self.get(urlsplit(url).path, max_bytes=max_bytes)).body

    def count(self, path: str) -> int:
        """How many objects the list at the path has."""
        return sum(len(msgspec.json.decode(_read_body(place), type=list[msgspec.Raw])) for place in self._places[path])


class ArchiveSource(ApiV4):
    """Reads an archive."""

    def __init__(self, archive: Archive, problem: ReportProblem) -> None:
        super().__init__(archive, problem)
        self._archive = archive
        if _ADDRESS.fullmatch(archive.manifest.address):
            self.origin = archive.manifest.address

    def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        """Labels of groups are those of the project, if it comes alone."""
        return (
            _own(super().labels(owner, owner_id)) if self.address.startswith(ALONE) else super().labels(owner, owner_id)
        )

    async def person(self, person_id: int) -> SourcePerson:
        """Somebody without addresses: an archive has none."""
        return SourcePerson(person_id, "unknown", "")

    async def lfs_objects(self, project: SourceProject, wanted: Mapping[str, int], token: str) -> list[SourceLfsObject]:  # noqa: ARG002
        offers = [(oid, f"{self.origin}/lfs/{oid}") for oid in wanted if self._archive.member(f"/lfs/{oid}")]
        return [SourceLfsObject(oid, LfsActions(LfsDownload(href))) for oid, href in offers]

    @asynccontextmanager
    async def lfs_content(self, offer: SourceLfsObject, size: int, token: str) -> AsyncGenerator[AsyncIterator[bytes]]:  # noqa: ARG002
        member = self._archive.member(f"/lfs/{offer.oid}")
        assert member is not None
        yield _pieces(member)

    def bundle(self, project: SourceProject, *, wiki: bool) -> Path:
        path = f"/{quote(project.path_with_namespace)}{'.wiki' if wiki else ''}.git"
        return self._archive.member(path) or Path("/nonexistent")

    async def count(self, project_id: int, noun: str) -> int | None:
        path = f"/api/v4/projects/{project_id}/{noun}"
        try:
            return self._archive.count(path)
        except msgspec.DecodeError:
            self._problem(f"{self.address}{path}", "It is no list.")
            return None


def open_archive(file: Path, folder: Path, max_bytes: int, address: str = "") -> Archive:
    """The archive, unpacked into the empty folder; `UnusableArchive` if it is none.

    What came from it is known by `address`, or else by the archive's digest: no archive poses as another source.
    """
    members = unpack(file, folder, max_bytes)
    try:
        manifest = msgspec.json.decode(members[MANIFEST].read_bytes(), type=ArchiveManifest)
    except (KeyError, msgspec.DecodeError, UnicodeDecodeError):
        raise UnusableArchive(f"It has no {MANIFEST}.") from None
    if manifest.format != FORMAT or manifest.version != VERSION:
        raise UnusableArchive("It is an archive of another version.")
    if not address:
        with file.open("rb") as opened:
            address = f"archive:{hashlib.file_digest(opened, 'sha256').hexdigest()[:32]}"
    return Archive(address, manifest, members)


async def _own(pages: AsyncGenerator[list[SourceLabel]]) -> AsyncGenerator[list[SourceLabel]]:
    async for labels in pages:
        yield [msgspec.structs.replace(label, is_project_label=True) for label in labels]


def _read_line(line: bytes) -> DocumentLine:
    """The line; an empty one if it is none."""
    try:
        found = msgspec.json.decode(line, type=DocumentLine)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return DocumentLine("")
    return found if len(found.path) <= MAX_PATH_LENGTH else DocumentLine("")


def _read_body(place: _Place) -> bytes:
    file, start, length = place
    with file.open("rb") as opened:
        opened.seek(start)
        return bytes(_read_line(opened.read(length)).body)


async def _pieces(file: Path) -> AsyncGenerator[bytes]:
    with file.open("rb") as opened:
        while piece := await asyncio.to_thread(opened.read, PIECE):
            yield piece
