"""All files in the storage that the database knows: uploads, LFS objects, avatars, packages and the files of CI jobs."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, Literal, LiteralString

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.product import ExtensionPoint, Product
from mujina.planning.uploads.rules import key_of

FileKind = Literal[
    "attachment", "lfs", "user_avatar", "project_avatar", "group_avatar", "topic_avatar", "job_artifact",
    "package_file", "site",
]  # fmt: skip


class StoredFiles(msgspec.Struct, frozen=True):
    """The files of one kind, as the chapter declares them that owns their rows."""

    kind: FileKind
    folder: str
    """Where they are in the storage."""
    rows: LiteralString
    """A query of the ids of the objects that have one, and of the `name` of each."""
    newest: LiteralString | None = None
    """A query of the newest id, if monitoring looks for the latest of them."""


STORED_FILES: Final = ExtensionPoint[StoredFiles]("files in the storage")
FILES: Final = (
    StoredFiles(
        "attachment", "uploads", "SELECT f.id, f.secret AS name FROM uploads f", "SELECT max(f.id) FROM uploads f"
    ),
    StoredFiles("lfs", "lfs", "SELECT o.id, o.file AS name FROM lfs_objects o", "SELECT max(o.id) FROM lfs_objects o"),
    StoredFiles(
        "user_avatar", "avatars/user", "SELECT u.id, u.avatar_key AS name FROM users u WHERE u.avatar_key IS NOT NULL"
    ),
    StoredFiles(
        "project_avatar",
        "avatars/project",
        "SELECT p.id, p.avatar_key AS name FROM projects p WHERE p.avatar_key IS NOT NULL",
    ),
    StoredFiles(
        "group_avatar",
        "avatars/group",
        "SELECT g.id, g.avatar_key AS name FROM groups g WHERE g.avatar_key IS NOT NULL",
    ),
    StoredFiles(
        "topic_avatar",
        "avatars/topic",
        "SELECT tp.id, tp.avatar_key AS name FROM topics tp WHERE tp.avatar_key IS NOT NULL",
    ),
)
"""Those of this chapter and of the ones before it."""


def file_kinds(product: Product) -> list[FileKind]:
    return [each.kind for each in product.all(STORED_FILES)]


def file_folders(product: Product) -> dict[FileKind, str]:
    """The folder of each kind in the storage."""
    return {each.kind: each.folder for each in product.all(STORED_FILES)}


async def list_monitored(tx: Tx, limit: int) -> list[str]:
    """The keys of the latest files of each kind that is monitored: one statement for each."""
    keys: list[str] = []
    for each in tx.product.all(STORED_FILES):
        if each.newest is not None:
            names: list[str] = await tx.values(
                f"SELECT file.name FROM ({each.rows}) file WHERE file.id > ({each.newest}) - :limit", limit=limit
            )
            keys += [_key(each.kind, name) for name in names]
    return keys


def _rows(tx: Tx, kind: FileKind) -> LiteralString:
    return next(each.rows for each in tx.product.all(STORED_FILES) if each.kind == kind)


async def list_files(tx: Tx, kind: FileKind, after: int, limit: int) -> list[tuple[int, str]]:
    """The ids and keys of files of this kind, in the order of their ids, from the first id after `after`."""
    rows = await tx.rows(
        tuple[int, str],
        f"SELECT file.id, file.name FROM ({_rows(tx, kind)}) file WHERE file.id > :after ORDER BY file.id LIMIT :limit",
        after=after,
        limit=limit,
    )
    return [(id, _key(kind, name)) for id, name in rows]


async def find_files(tx: Tx, kind: FileKind, ids: Sequence[int]) -> dict[int, str]:
    """The keys of the files of these objects that exist, by the ids of the objects."""
    rows = await tx.rows(
        tuple[int, str],
        f"SELECT file.id, file.name FROM ({_rows(tx, kind)}) file WHERE file.id IN :ids",
        ids=list(ids),
    )
    return {id: _key(kind, name) for id, name in rows}


async def find_keys(tx: Tx, kind: FileKind, keys: Sequence[str]) -> set[str]:
    """The keys among these that objects of this kind have."""
    names = [PurePosixPath(key).name for key in keys]
    if kind == "lfs":
        # By the digest in the name, which has an index.
        oids = [name.partition(".")[0] for name in names]
        return set(await tx.values("SELECT o.file FROM lfs_objects o WHERE o.oid IN :oids", oids=oids))
    found = await tx.values(
        f"SELECT file.name FROM ({_rows(tx, kind)}) file WHERE file.name IN :names",
        names=names if kind == "attachment" else list(keys),
    )
    return {_key(kind, name) for name in found}


def _key(kind: FileKind, name: str) -> str:
    return key_of(name) if kind == "attachment" else name
