"""The files of the primary that secondaries copy, found in the database."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, get_args

from mujina.kernel.db.transaction import Tx
from mujina.planning.uploads.rules import key_of
from mujina.replication.registry.rules import FileKind

FILE_KINDS: Final[tuple[FileKind, ...]] = get_args(FileKind)

FILE_FOLDERS: Final[dict[FileKind, str]] = {
    "attachment": "uploads",
    "lfs": "lfs",
    "user_avatar": "avatars/user",
    "project_avatar": "avatars/project",
    "group_avatar": "avatars/group",
}
"""The folders in the storage."""

_Pair = tuple[int, str]


async def list_files(tx: Tx, kind: FileKind, after: int, limit: int) -> list[tuple[int, str]]:
    """The ids and keys of files of this kind, in the order of their ids, from the first id after `after`."""
    page = {"after": after, "limit": limit}
    match kind:
        case "attachment":
            return _uploads(
                await tx.rows(
                    _Pair, "SELECT f.id, f.secret FROM uploads f WHERE f.id > :after ORDER BY f.id LIMIT :limit", **page
                )
            )
        case "lfs":
            return await tx.rows(
                _Pair, "SELECT o.id, o.file FROM lfs_objects o WHERE o.id > :after ORDER BY o.id LIMIT :limit", **page
            )
        case "user_avatar":
            return await tx.rows(
                _Pair,
                """SELECT u.id, u.avatar_key FROM users u WHERE u.id > :after AND u.avatar_key IS NOT NULL
                   ORDER BY u.id LIMIT :limit""",
                **page,
            )
        case "project_avatar":
            return await tx.rows(
                _Pair,
                """SELECT p.id, p.avatar_key FROM projects p WHERE p.id > :after AND p.avatar_key IS NOT NULL
                   ORDER BY p.id LIMIT :limit""",
                **page,
            )
        case "group_avatar":
            return await tx.rows(
                _Pair,
                """SELECT g.id, g.avatar_key FROM groups g WHERE g.id > :after AND g.avatar_key IS NOT NULL
                   ORDER BY g.id LIMIT :limit""",
                **page,
            )


async def find_files(tx: Tx, kind: FileKind, ids: Sequence[int]) -> dict[int, str]:
    """The keys of the files of these objects that exist, by the ids of the objects."""
    wanted = list(ids)
    match kind:
        case "attachment":
            rows = _uploads(await tx.rows(_Pair, "SELECT f.id, f.secret FROM uploads f WHERE f.id IN :ids", ids=wanted))
        case "lfs":
            rows = await tx.rows(_Pair, "SELECT o.id, o.file FROM lfs_objects o WHERE o.id IN :ids", ids=wanted)
        case "user_avatar":
            rows = await tx.rows(
                _Pair,
                "SELECT u.id, u.avatar_key FROM users u WHERE u.id IN :ids AND u.avatar_key IS NOT NULL",
                ids=wanted,
            )
        case "project_avatar":
            rows = await tx.rows(
                _Pair,
                "SELECT p.id, p.avatar_key FROM projects p WHERE p.id IN :ids AND p.avatar_key IS NOT NULL",
                ids=wanted,
            )
        case "group_avatar":
            rows = await tx.rows(
                _Pair,
                "SELECT g.id, g.avatar_key FROM groups g WHERE g.id IN :ids AND g.avatar_key IS NOT NULL",
                ids=wanted,
            )
    return dict(rows)


async def find_keys(tx: Tx, kind: FileKind, keys: Sequence[str]) -> set[str]:
    """The keys among these that objects of this kind have."""
    names = [PurePosixPath(key).name for key in keys]
    match kind:
        case "attachment":
            secrets = await tx.values("SELECT f.secret FROM uploads f WHERE f.secret IN :names", names=names)
            return {key_of(secret) for secret in secrets}
        case "lfs":
            # By the digest in the name, which has an index.
            oids = [name.partition(".")[0] for name in names]
            return set(await tx.values("SELECT o.file FROM lfs_objects o WHERE o.oid IN :oids", oids=oids))
        case "user_avatar":
            found = await tx.values("SELECT u.avatar_key FROM users u WHERE u.avatar_key IN :keys", keys=list(keys))
        case "project_avatar":
            found = await tx.values("SELECT p.avatar_key FROM projects p WHERE p.avatar_key IN :keys", keys=list(keys))
        case "group_avatar":
            found = await tx.values("SELECT g.avatar_key FROM groups g WHERE g.avatar_key IN :keys", keys=list(keys))
    return set(found)


def _uploads(rows: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(id, key_of(secret)) for id, secret in rows]
