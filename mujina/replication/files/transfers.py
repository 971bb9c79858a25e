"""Files that the primary hands to its secondaries."""

import hashlib
from collections.abc import AsyncIterator
from typing import Final, LiteralString

import msgspec

from mujina.kernel.services import Services
from mujina.kernel.storage.errors import missing_file
from mujina.kernel.storage.files import one_piece
from mujina.planning.storage.files import FileKind, file_kinds, find_files
from mujina.replication.nodes.tokens import Data, InvalidToken

CHECKSUM_HEADER = "X-Checksum-Sha256"
_CHECKSUMS: Final[dict[FileKind, LiteralString]] = {
    "lfs": "SELECT o.oid FROM lfs_objects o WHERE o.id = :id",
    "job_artifact": "SELECT a.sha256 FROM job_artifacts a WHERE a.id = :id",
    "package_file": "SELECT f.sha256 FROM package_files f WHERE f.id = :id",
    "site": "SELECT d.sha256 FROM site_deployments d WHERE d.id = :id",
}
"""The files that may be large, and whose SHA-256 the database knows."""


class OfferedFile(msgspec.Struct, frozen=True):
    """The content of a file, and its SHA-256."""

    pieces: AsyncIterator[bytes]
    checksum: str


def request_data(kind: FileKind, object_id: int, key: str) -> Data:
    """The claims of the credential for one file."""
    return {"kind": kind, "id": object_id, "key": key}


async def open_file(services: Services, kind: str, object_id: int, data: Data) -> OfferedFile | None:
    """The file of this object, if the credential is for it; None if the object has no such file any more.

    `StorageMissing` if it has one that the storage lacks: its copies must stay.
    """
    if kind not in file_kinds(services.product):
        return None
    named: FileKind = kind
    async with services.database.reading() as tx:
        key = (await find_files(tx, named, [object_id])).get(object_id)
    if key is None:
        return None
    if data != request_data(named, object_id, key):
        raise InvalidToken("the token is for another file")
    if named in _CHECKSUMS:
        async with services.database.reading() as tx:
            checksum = await tx.value(_CHECKSUMS[named], id=object_id)
        try:
            return OfferedFile(await services.files.pieces(key), checksum)
        except FileNotFoundError:
            raise missing_file(key) from None
    content = await services.files.get(key)
    if content is None:
        raise missing_file(key)
    return OfferedFile(one_piece(content), hashlib.sha256(content).hexdigest())
