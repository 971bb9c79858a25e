"""Writes and reads the parts of a target.

Small files and rows are collected into parts of some megabytes, large files are cut into parts: a target has few files, and
what did not change since the last set is not stored again.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from threading import BoundedSemaphore, Lock
from typing import Final, NamedTuple

from mujina.backups.encryption import Cipher
from mujina.backups.errors import BackupError
from mujina.backups.manifest import PARTS, Manifest, Piece, StoredPart, checksum_of, part_path
from mujina.backups.targets import BackupTarget

SMALL_BYTES: Final = 1024 * 1024
"""Smaller files share a part."""
SHARED_BYTES: Final = 8 * 1024 * 1024
MAX_BYTES: Final = 16 * 1024 * 1024
"""The size of the largest piece."""
WRITERS: Final = 3
MAX_WAITING: Final = 4
"""Parts that are in memory at a time."""
KEPT_PARTS: Final = 4
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
                    self._places[piece.checksum] = _Place(part, piece.offset, piece.length)
        self._pieces = list[tuple[Piece, str | Future[str]]]()
        """Those of the set, each with its checksum, which another thread may be computing."""
        self._shared = StoredPart("", 0), bytearray()
        self._threads = ThreadPoolExecutor(WRITERS, "mujina-backup")
        self._room = BoundedSemaphore(MAX_WAITING)
        self._writes = list[Future[str]]()
        self._lock = Lock()
        self._error: Exception | None = None
        self.new_bytes = 0

    def reuse(self, pieces: Iterable[Piece]) -> list[Piece] | None:
        """These pieces of an earlier set as pieces of this one; None if the target has lost one of them."""
        pieces = list(pieces)
        if any(piece.checksum not in self._places for piece in pieces):
            return None
        return [self._piece(piece.checksum) for piece in pieces]

    def add(self, data: bytes) -> Piece:
        """Store these bytes, at most `MAX_BYTES`, unless the target has them."""
        if len(data) >= SMALL_BYTES:
            return self._piece(self._submit(self._store_large, data))
        checksum = checksum_of(data)
        if checksum not in self._places:
            part, buffer = self._shared
            self._places[checksum] = _Place(part, len(buffer), len(data))
            buffer += data
            if len(buffer) >= SHARED_BYTES:
                self._write_shared()
        return self._piece(checksum)

    def close(self) -> list[StoredPart]:
        """Wait until everything is stored durably; the parts of the set."""
        self._write_shared()
        for write in self._writes:
            write.result()
        self._threads.shutdown()
        self._target.sync()
        parts, numbers = list[StoredPart](), dict[str, int]()
        for piece, checksum in self._pieces:
            piece.checksum = checksum if isinstance(checksum, str) else checksum.result()
            part, piece.offset, piece.length = self._places[piece.checksum]
            piece.part = numbers.setdefault(part.name, len(parts))
            if piece.part == len(parts):
                parts.append(part)
        return parts

    def abandon(self) -> None:
        """Store nothing more, after an error."""
        self._threads.shutdown(cancel_futures=True)

    def _piece(self, checksum: str | Future[str]) -> Piece:
        """A piece, which `close` completes."""
        piece = Piece(-1, 0, 0, "")
        self._pieces.append((piece, checksum))
        return piece

    def _write_shared(self) -> None:
        part, buffer = self._shared
        if buffer:
            self._writes.append(self._submit(partial(self._store, part), bytes(buffer)))
        self._shared = StoredPart("", 0), bytearray()

    def _submit(self, store: Callable[[bytes], str], data: bytes) -> Future[str]:
        """Store the bytes on another thread, as soon as few enough wait; an earlier error is raised here."""
        self._room.acquire()
        if self._error is not None:
            raise self._error
        return self._threads.submit(self._run, store, data)

    def _run(self, store: Callable[[bytes], str], data: bytes) -> str:
        try:
            return store(data)
        except Exception as error:
            self._error = error
            raise
        finally:
            self._room.release()

    def _store_large(self, data: bytes) -> str:
        """Store a part of one piece, unless the target has it."""
        checksum = checksum_of(data)
        if checksum not in self._places:
            part = StoredPart("", 0)
            self._store(part, data, checksum)
            self._places[checksum] = _Place(part, 0, len(data))
        return checksum

    def _store(self, part: StoredPart, data: bytes, checksum: str | None = None) -> str:
        stored = self._cipher.encrypt(data, PURPOSE)
        name = checksum if checksum and stored is data else checksum_of(stored)
        part.name, part.size = name, len(stored)
        if self._stored.get(name) != part.size:
            self._target.put(part_path(name), stored)
            with self._lock:
                self.new_bytes += part.size
        return name


class PartReader:
    """Reads the pieces of a set, and checks each part."""

    def __init__(self, target: BackupTarget, cipher: Cipher, manifest: Manifest) -> None:
        self._target, self._cipher, self._manifest = target, cipher, manifest
        self._labels = manifest.names_by_part()
        self._read_part = lru_cache(KEPT_PARTS)(self.read_part)

    def read_part(self, number: int) -> bytes:
        """A part, decrypted; `BackupError` that names it and what needs it if it is missing or damaged."""
        part = self._manifest.parts[number]
        stored = self._target.get(part_path(part.name))
        about = f"The part {part.name} of the set {self._manifest.id}, with {self._labels.get(number, 'nothing')},"
        if stored is None:
            raise BackupError(f"{about} is missing: the set is incomplete.")
        if len(stored) != part.size or checksum_of(stored, self._manifest.format) != part.name:
            raise BackupError(f"{about} is damaged.")
        try:
            return self._cipher.decrypt(stored, PURPOSE)
        except ValueError:
            raise BackupError(f"{about} was not encrypted with the key of this target.") from None

    def read(self, piece: Piece) -> bytes:
        """The bytes of a piece; a few parts are kept, because neighbors share them."""
        data = self._read_part(piece.part)[piece.offset : piece.offset + piece.length]
        if checksum_of(data, self._manifest.format) != piece.checksum:
            label = self._labels.get(piece.part, "nothing")
            raise BackupError(f"The manifest of the set {self._manifest.id} does not fit the part with {label}.")
        return data

    def problems(self, sound: set[str], progress: Progress) -> Iterator[str]:
        """What is wrong with each part; reads all but those that are known to be sound, to which it adds."""
        for number, part in enumerate(self._manifest.parts):
            progress("parts", number + 1, len(self._manifest.parts))
            if part.name not in sound:
                try:
                    self.read_part(number)
                except BackupError as error:
                    yield str(error)
                else:
                    sound.add(part.name)
