"""All files in the storage that the database knows: uploads, LFS objects, avatars and the files of CI jobs."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, Literal, LiteralString, get_args

from mujina.kernel.db.transaction import Tx
from mujina.planning.uploads.rules import key_of

FileKind = Literal["attachment", "lfs", "user_avatar", "project_avatar", "group_avatar", "job_artifact"]
FILE_KINDS: Final[tuple[FileKind, ...]] = get_args(FileKind)

FILE_FOLDERS: Final[dict[FileKind, str]] = {
    "attachment": "uploads",
    "lfs": "lfs",
    "user_avatar": "avatars/user",
    "project_avatar": "avatars/project",
    "group_avatar": "avatars/group",
    "job_artifact": "artifacts",
}
"""The folders in the storage."""

_FILES: LiteralString = """(
    SELECT 'attachment' AS kind, f.id, f.secret AS name FROM uploads f
    UNION ALL SELECT 'lfs', o.id, o.file FROM lfs_objects o
    UNION ALL SELECT 'user_avatar', u.id, u.avatar_key FROM users u WHERE u.avatar_key IS NOT NULL
    UNION ALL SELECT 'project_avatar', p.id, p.avatar_key FROM projects p WHERE p.avatar_key IS NOT NULL
    UNION ALL SELECT 'group_avatar', g.id, g.avatar_key FROM groups g WHERE g.avatar_key IS NOT NULL
    UNION ALL SELECT 'job_artifact', a.id, a.file FROM job_artifacts a WHERE a.file IS NOT NULL) file"""


async def list_files(tx: Tx, kind: FileKind, after: int, limit: int) -> list[tuple[int, str]]:
    """The ids and keys of files of this kind, in the order of their ids, from the first id after `after`."""
    rows = await tx.rows(
        tuple[int, str],
        f"""SELECT file.id, file.name FROM {_FILES} WHERE file.kind = :kind AND file.id > :after
            ORDER BY file.id LIMIT :limit""",
        kind=kind, after=after, limit=limit,
    )  # fmt: skip
    return [(id, _key(kind, name)) for id, name in rows]


async def find_files(tx: Tx, kind: FileKind, ids: Sequence[int]) -> dict[int, str]:
    """The keys of the files of these objects that exist, by the ids of the objects."""
    rows = await tx.rows(
        tuple[int, str],
        f"SELECT file.id, file.name FROM {_FILES} WHERE file.kind = :kind AND file.id IN :ids",
        kind=kind, ids=list(ids),
    )  # fmt: skip
    return {id: _key(kind, name) for id, name in rows}


async def find_keys(tx: Tx, kind: FileKind, keys: Sequence[str]) -> set[str]:
    """The keys among these that objects of this kind have."""
    names = [PurePosixPath(key).name for key in keys]
    if kind == "lfs":
        # By the digest in the name, which has an index.
        oids = [name.partition(".")[0] for name in names]
        return set(await tx.values("SELECT o.file FROM lfs_objects o WHERE o.oid IN :oids", oids=oids))
    found = await tx.values(
        f"SELECT file.name FROM {_FILES} WHERE file.kind = :kind AND file.name IN :names",
        kind=kind, names=names if kind == "attachment" else list(keys),
    )  # fmt: skip
    return {_key(kind, name) for name in found}


def _key(kind: FileKind, name: str) -> str:
    return key_of(name) if kind == "attachment" else name
