"""An archive as a source: the documents that the API v4 of another instance gave, read from a file, without a network."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote, urlsplit

import msgspec

from mujina.moving.archives.unpacking import UnusableArchive
from mujina.moving.archives.writing import DOCUMENTS, ArchiveManifest, DocumentLine
from mujina.moving.sources.api_v4 import ApiV4
from mujina.moving.sources.forge import Forge, ReportProblem
from mujina.moving.sources.operations import EMPTY, MAX_PAGE_BYTES, Query, SourceAnswer, SourceClient, SourceError
from mujina.moving.sources.records import (
    LfsActions,
    LfsDownload,
    SourceLfsObject,
    SourcePerson,
    SourceProject,
)

PIECE: Final = 256 * 1024
SINGLE_IMPORT_PREFIX: Final = "import:"
"""How the address of an archive begins that fills one project."""
MAX_LINES: Final = 1_000_000
MAX_PATH_LENGTH: Final = 1_000
_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,255}(/[\w./-]{0,200})?")
ArchiveKind = Literal["Mujina", "GitLab", "Gitea", "GitHub"]
"""The program whose format the archive has."""
_Place = tuple[Path, int, int]
"""A file, and where a document begins and how long its line is."""


class Archive(SourceClient):
    """The documents of an unpacked archive, found by their paths. Nothing in it is trusted."""

    def __init__(
        self, address: str, manifest: ArchiveManifest, members: dict[str, Path], kind: ArchiveKind = "Mujina",
        problems: Sequence[tuple[str, str]] = (),
    ) -> None:  # fmt: skip
        super().__init__((), address, {})
        self.manifest = manifest
        self.kind: ArchiveKind = kind
        self.problems = problems
        """The names of members that do not come, and why."""
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
        if (file := self._files.get(path)) is not None and file.is_file():
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

    @asynccontextmanager
    async def download(self, path: str, seconds: float) -> AsyncGenerator[AsyncIterator[bytes]]:  # noqa: ARG002
        if (file := self._files.get(path)) is None or not file.is_file():
            raise SourceError(f"{self.address}{path}", "It is not in the archive.", 404)
        yield pieces_of(file)

    async def total(self, path: str, query: Query = EMPTY) -> int:  # noqa: ARG002 - a list has no other objects
        """How many objects the list at the path has."""
        try:
            bodies = map(_read_body, self._places.get(path, []))
            return sum(len(msgspec.json.decode(body, type=list[msgspec.Raw])) for body in bodies)
        except msgspec.DecodeError:
            raise SourceError(f"{self.address}{path}", "It is no list.") from None


class ArchivedForge(Forge):
    """What sources have in common that read an archive: people, LFS objects and repositories come from it."""

    def __init__(self, archive: Archive, problem: ReportProblem) -> None:
        super().__init__(archive, problem, archive.address)
        self._archive = archive
        if _ADDRESS.fullmatch(archive.manifest.address):
            self.origin = archive.manifest.address
        for name, reason in archive.problems:
            problem(f"{archive.address}/{name}", reason)

    async def person(self, person_id: int) -> SourcePerson:
        """The person, with the addresses that an export of another program may have of members."""
        try:
            return await self._client.one(SourcePerson, f"/api/v4/users/{person_id}")
        except SourceError:
            return SourcePerson(person_id, "unknown", "")

    async def lfs_objects(self, project: SourceProject, wanted: Mapping[str, int], token: str) -> list[SourceLfsObject]:  # noqa: ARG002
        files = [(oid, self._archive.member(f"/lfs/{oid}")) for oid in wanted]
        return [
            SourceLfsObject(oid, LfsActions(LfsDownload(f"{self.origin}/lfs/{oid}")))
            for oid, file in files
            if file and file.is_file()  # a repository of the archive is a folder
        ]

    @asynccontextmanager
    async def lfs_content(self, offer: SourceLfsObject, size: int, token: str) -> AsyncGenerator[AsyncIterator[bytes]]:  # noqa: ARG002
        member = self._archive.member(f"/lfs/{offer.oid}")
        assert member is not None
        yield pieces_of(member)

    def bundle(self, project: SourceProject, *, wiki: bool) -> Path:
        path = f"/{quote(project.path_with_namespace)}{'.wiki' if wiki else ''}.git"
        return self._archive.member(path) or Path("/nonexistent")


class ArchiveSource(ArchivedForge, ApiV4):
    """Reads an archive of `mujina export`, or one that has the documents of the API v4."""


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


async def pieces_of(file: Path) -> AsyncGenerator[bytes]:
    """The content of a file."""
    with file.open("rb") as opened:
        while piece := await asyncio.to_thread(opened.read, PIECE):
            yield piece
