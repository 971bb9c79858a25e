"""Writes and reads the parts of a target.

Small files and rows are collected into parts of some megabytes, large files are cut into parts: a target has few files, and
what did not change since the last set is not stored again.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import Final, NamedTuple

from mujina.backups.encryption import Cipher
from mujina.backups.errors import BackupError
from mujina.backups.manifest import PARTS, Manifest, Piece, StoredPart, part_path
from mujina.backups.targets import BackupTarget

SMALL_BYTES: Final = 1024 * 1024
"""Smaller files share a part."""
SHARED_BYTES: Final = 8 * 1024 * 1024
MAX_BYTES: Final = 16 * 1024 * 1024
"""Of a piece."""
WRITERS: Final = 3
MAX_WAITING: Final = 4
"""Parts that are in memory at a time."""
PURPOSE: Final = "part"
Progress = Callable[[str, int, int], None]
"""Is told what is under way, how much of it is done, and how much there is in all."""


class _Place(NamedTuple):
    part: StoredPart
    offset: int
    length: int


class PartWriter:
    """Stores pieces in a target. The parts of a set have their names after `close`."""

    def __init__(self, target: BackupTarget, cipher: Cipher, last: Manifest | None) -> None:
        self._target, self._cipher = target, cipher
        self._stored = {path.rpartition("/")[2]: size for path, size in target.sizes(PARTS).items()}
        self._places = dict[str, _Place]()
        """Where the target has each piece, by its checksum."""
        for each in () if last is None else (*last.files, *last.tables):
            for piece in each.pieces:
                part = last.parts[piece.part] if last else StoredPart("", 0)
                if self._stored.get(part.name) == part.size:
                    self._places[piece.sha256] = _Place(part, piece.offset, piece.length)
        self._parts = list[StoredPart]()
        self._numbers = dict[int, int]()
        """The number of each part in the set."""
        self._shared = StoredPart("", 0), bytearray()
        self._threads = ThreadPoolExecutor(WRITERS, "mujina-backup")
        self._room = BoundedSemaphore(MAX_WAITING)
        self._writes = list[Future[None]]()
        self.new_bytes = 0

    def reuse(self, pieces: Iterable[Piece]) -> list[Piece] | None:
        """These pieces of an earlier set as pieces of this one; None if the target has lost one of them."""
        pieces = list(pieces)
        if any(piece.sha256 not in self._places for piece in pieces):
            return None
        return [self._piece(piece.sha256) for piece in pieces]

    def add(self, data: bytes) -> Piece:
        """Store these bytes, at most `MAX_BYTES`, unless the target has them."""
        checksum = hashlib.sha256(data).hexdigest()
        if checksum not in self._places:
            if len(data) >= SMALL_BYTES:
                part, offset = StoredPart("", 0), 0
                self._write(part, data)
            else:
                part, buffer = self._shared
                offset = len(buffer)
                buffer += data
                if len(buffer) >= SHARED_BYTES:
                    self._write_shared()
            self._places[checksum] = _Place(part, offset, len(data))
        return self._piece(checksum)

    def close(self) -> list[StoredPart]:
        """Wait until everything is stored durably; the parts of the set."""
        self._write_shared()
        for write in self._writes:
            write.result()
        self._threads.shutdown()
        self._target.sync()
        return self._parts

    def abandon(self) -> None:
        """Store nothing more, after an error."""
        self._threads.shutdown(cancel_futures=True)

    def _piece(self, checksum: str) -> Piece:
        part, offset, length = self._places[checksum]
        number = self._numbers.setdefault(id(part), len(self._parts))
        if number == len(self._parts):
            self._parts.append(part)
        return Piece(number, offset, length, checksum)

    def _write_shared(self) -> None:
        part, buffer = self._shared
        if buffer:
            self._write(part, bytes(buffer))
        self._shared = StoredPart("", 0), bytearray()

    def _write(self, part: StoredPart, data: bytes) -> None:
        for write in self._writes:
            if write.done():
                write.result()
        self._writes = [write for write in self._writes if not write.done()]
        self._room.acquire()
        self._writes.append(self._threads.submit(self._store, part, data))

    def _store(self, part: StoredPart, data: bytes) -> None:
        try:
            stored = self._cipher.encrypt(data, PURPOSE)
            part.name, part.size = hashlib.sha256(stored).hexdigest(), len(stored)
            if self._stored.get(part.name) != part.size:
                self._target.put(part_path(part.name), stored)
                self.new_bytes += part.size
        finally:
            self._room.release()


class PartReader:
    """Reads the pieces of a set, and checks each part."""

    def __init__(self, target: BackupTarget, cipher: Cipher, manifest: Manifest) -> None:
        self._target, self._cipher, self._manifest = target, cipher, manifest
        self._labels = manifest.names_by_part()
        self._last: tuple[int, bytes] = -1, b""

    def read_part(self, number: int) -> bytes:
        """A part, decrypted; `BackupError` that names it and what needs it if it is missing or damaged."""
        part = self._manifest.parts[number]
        stored = self._target.get(part_path(part.name))
        about = f"The part {part.name} of the set {self._manifest.id}, with {self._labels.get(number, 'nothing')},"
        if stored is None:
            raise BackupError(f"{about} is missing: the set is incomplete.")
        if len(stored) != part.size or hashlib.sha256(stored).hexdigest() != part.name:
            raise BackupError(f"{about} is damaged.")
        try:
            return self._cipher.decrypt(stored, PURPOSE)
        except ValueError:
            raise BackupError(f"{about} was not encrypted with the key of this target.") from None

    def read(self, piece: Piece) -> bytes:
        """The bytes of a piece; the part of the last one is kept, because neighbors share it."""
        if piece.part != self._last[0]:
            self._last = piece.part, self.read_part(piece.part)
        data = self._last[1][piece.offset : piece.offset + piece.length]
        if hashlib.sha256(data).hexdigest() != piece.sha256:
            label = self._labels.get(piece.part, "nothing")
            raise BackupError(f"The manifest of the set {self._manifest.id} does not fit the part with {label}.")
        return data

    def problems(self, progress: Progress) -> Iterator[str]:
        """What is wrong with each part; reads everything."""
        count = len(self._manifest.parts)
        for number in range(count):
            try:
                self.read_part(number)
            except BackupError as error:
                yield str(error)
            progress("parts", number + 1, count)
