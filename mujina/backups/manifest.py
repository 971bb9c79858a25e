"""What a set of a backup contains, and the small files of a target that describe it, each with its own checksum.

mujina-backup        which format the target has, and how it is encrypted
sets/ID              the manifest of one set, written last
parts/ab/abcd…       bytes, by their checksum; sets share those that did not change
"""

import hashlib
import zlib
from typing import Final, TypeVar

import msgspec

from mujina.backups.encryption import BackupCredentials, Cipher, EncryptionRecord, Plain, new_cipher, open_cipher
from mujina.backups.errors import BackupError
from mujina.backups.targets import HEADER, BackupTarget

Kind = TypeVar("Kind", bound=msgspec.Struct)
FORMAT: Final = 2
SHA_256_FORMAT: Final = 1
"""The one whose checksums are SHA-256."""
SETS: Final = "sets/"
PARTS: Final = "parts/"


class StoredPart(msgspec.Struct, array_like=True):
    """A file of the target; its name is the checksum of its content."""

    name: str
    size: int


class Piece(msgspec.Struct, array_like=True):
    """A range of a part as it was before encryption, and its checksum."""

    part: int
    offset: int
    length: int
    checksum: str


class FileEntry(msgspec.Struct, array_like=True):
    """A file of the data folder; `changed` is its time of modification, by which the next backup finds it unchanged."""

    path: str
    size: int
    changed: int
    pieces: list[Piece]


class TableEntry(msgspec.Struct, array_like=True):
    """The rows of a table, in pieces of many rows each."""

    name: str
    columns: list[str]
    rows: int
    pieces: list[Piece]


class Manifest(msgspec.Struct, kw_only=True):
    """A set: the rows of all tables, and files by their paths in the data folder, as of one instant."""

    format: int = FORMAT
    id: str
    created_at: str
    version: str
    """The version of Mujina that wrote it."""
    revisions: list[str]
    """The revisions of the schema, in the order of their numbers."""
    engine: str
    repositories: int
    new_bytes: int
    """What this set added to the target."""
    counters: dict[str, int]
    """The highest id that each table ever gave."""
    tables: list[TableEntry]
    files: list[FileEntry]
    parts: list[StoredPart]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def bytes(self) -> int:
        """The size of everything in the set."""
        return sum(piece.length for each in (*self.files, *self.tables) for piece in each.pieces)

    def names_by_part(self) -> dict[int, str]:
        """For each part, the first file or table that needs it."""
        found = dict[int, str]()
        for each in (*self.files, *self.tables):
            label = each.path if isinstance(each, FileEntry) else f"the table {each.name}"
            for piece in each.pieces:
                found.setdefault(piece.part, label)
        return found


class _Head(msgspec.Struct):
    format: int


class _Header(msgspec.Struct):
    format: int
    encryption: EncryptionRecord | None


def checksum_of(data: bytes, format: int = FORMAT) -> str:
    """The checksum of a part or a piece: BLAKE2b, because SHA-256 takes twice as long where processors do not help with it."""
    if format == SHA_256_FORMAT:
        return hashlib.sha256(data).hexdigest()
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def part_path(name: str) -> str:
    """Where a part is in its target."""
    return f"{PARTS}{name[:2]}/{name}"


def open_header(target: BackupTarget, credentials: BackupCredentials, *, encrypt: bool = False) -> Cipher:
    """The cipher of an existing target, which must encrypt if asked; `BackupError` without a backup, or with a newer one."""
    data = target.get(HEADER)
    if data is None:
        raise BackupError(f"There is no backup in {target}.")
    header = _decode(_checked_body(data, f"The file {HEADER} of {target} is damaged."), _Header, f"{target}")
    if header.encryption is not None:
        return open_cipher(header.encryption, credentials)
    if encrypt or credentials.key_file is not None:
        raise BackupError(f"The backups in {target} are not encrypted: encrypted ones need a target of their own.")
    return Plain()


def create_header(target: BackupTarget, credentials: BackupCredentials, *, encrypt: bool) -> Cipher:
    """Make the empty target one of backups, and return its cipher."""
    record, cipher = new_cipher(credentials) if encrypt else (None, Plain())
    target.put(HEADER, _with_checksum(msgspec.json.encode(_Header(FORMAT, record))))
    return cipher


def list_sets(target: BackupTarget) -> list[str]:
    """The ids of the sets, oldest first."""
    return sorted(target.sizes(SETS))


def write_manifest(target: BackupTarget, cipher: Cipher, manifest: Manifest) -> None:
    """From here on, the set exists."""
    body = zlib.compress(msgspec.json.encode(manifest), 6)
    target.put(SETS + manifest.id, _with_checksum(cipher.encrypt(body, f"set {manifest.id}")))


def read_manifest(target: BackupTarget, cipher: Cipher, id: str) -> Manifest:
    """The manifest of a set; `BackupError` if it is missing, damaged or newer than this Mujina."""
    data = target.get(SETS + id)
    if data is None:
        raise BackupError(f"There is no set {id} in {target}: `mujina backup list {target}` shows those that are.")
    damaged = f"The manifest of the set {id} is damaged or cut off."
    try:
        body = zlib.decompress(cipher.decrypt(_checked_body(data, damaged), f"set {id}"))
    except (ValueError, zlib.error):
        raise BackupError(damaged) from None
    manifest = _decode(body, Manifest, f"The set {id}")
    if manifest.id != id:
        raise BackupError(f"The set {id} was written as {manifest.id}.")
    return manifest


def _decode(body: bytes, kind: type[Kind], name: str) -> Kind:
    """The value, if this Mujina knows the format; that it is whole, its checksum has shown."""
    if msgspec.json.decode(body, type=_Head).format > FORMAT:
        raise BackupError(f"{name} was written by a newer version of Mujina: install that version to read it.")
    return msgspec.json.decode(body, type=kind)


def _with_checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _checked_body(data: bytes, damaged: str) -> bytes:
    checksum, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        raise BackupError(damaged)
    return body
