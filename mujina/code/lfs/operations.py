"""LFS objects of projects."""

import secrets
from collections.abc import Collection, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final, LiteralString

import msgspec

from mujina.adapters.git.reading import pointers
from mujina.code.repositories import operations as repositories
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import LFS_ENABLED, READ_CODE

BATCH: Final = 100

# Objects of the projects that this one was forked from, directly or not, as far as the actor may read them.
ABOVE: LiteralString = f"""
    WITH RECURSIVE line (id) AS (
        SELECT own.forked_from_id FROM projects own WHERE own.id = :project_id
        UNION
        SELECT fork.forked_from_id FROM projects fork JOIN line ON fork.id = line.id)
    SELECT DISTINCT o.id, o.oid FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
    JOIN projects p ON p.id = k.project_id
    WHERE k.project_id IN (SELECT line.id FROM line WHERE line.id IS NOT NULL) AND o.oid IN :oids
    AND p.deleted_at IS NULL AND {READ_CODE.for_scan}"""


class StoredObject(msgspec.Struct, frozen=True):
    """An object in storage."""

    file: str
    size: int


async def present(tx: Tx, project_id: int, oids: Sequence[str]) -> set[str]:
    """The objects among these that the project has."""
    return set(await find_all(tx, project_id, oids))


async def find(tx: Tx, project_id: int, oid: str) -> tuple[str, int] | None:
    """The file and the size of an object of this project."""
    return await tx.row(
        tuple[str, int],
        """SELECT o.file, o.size FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
           WHERE k.project_id = :project_id AND o.oid = :oid""",
        project_id=project_id,
        oid=oid,
    )


async def is_used(tx: Tx, project_id: int) -> bool:
    """Whether LFS is enabled for the project, and it has an object."""
    found = await tx.value(
        f"""SELECT 1 FROM projects p WHERE p.id = :id AND {LFS_ENABLED}
            AND EXISTS (SELECT 1 FROM lfs_links k WHERE k.project_id = p.id)""",
        id=project_id,
    )
    return found is not None


async def find_all(tx: Tx, project_id: int, oids: Sequence[str]) -> dict[str, StoredObject]:
    """The objects among these that the project has, by their digests."""
    found = await tx.rows(
        tuple[str, str, int],
        """SELECT o.oid, o.file, o.size FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
           WHERE k.project_id = :project_id AND o.oid IN :oids""",
        project_id=project_id,
        oids=list(oids),
    )
    return {oid: StoredObject(file, size) for oid, file, size in found}


def new_file(oid: str) -> str:
    """A name in storage for content that is about to come, never used before."""
    return f"lfs/{oid[:2]}/{oid[2:4]}/{oid}.{secrets.token_hex(4)}"


async def store_object(tx: Tx, actor: Actor, project_id: int, oid: str, size: int, file: str) -> bool:
    """Add the object in this file to the project; False if another file has its content already."""
    [(object_id, kept)] = await tx.rows(
        tuple[int, str],
        """
        INSERT INTO lfs_objects (oid, size, file, created_at) VALUES (:oid, :size, :file, :now)
        ON CONFLICT (oid) DO UPDATE SET oid = excluded.oid RETURNING id, file
        """,
        oid=oid, size=size, file=file, now=clock.now(),
    )  # fmt: skip
    if await _link(tx, project_id, [object_id]):
        await record(
            tx, "lfs_object.uploaded", actor, subject_id=project_id, project_id=project_id, changes={"oid": (None, oid)}
        )
    return kept == file


async def inherit(tx: Tx, actor: Actor, project_id: int, oids: Sequence[str]) -> set[str]:
    """Add to a fork the objects among these that its source has and the actor may read there; which ones."""
    found = await tx.rows(tuple[int, str], ABOVE, project_id=project_id, oids=list(oids), **actor.bound)
    await _link(tx, project_id, [id_ for id_, _ in found])
    return {oid for _, oid in found}


async def link_new(
    services: Services, source_id: int, project_id: int, repo_path: Path, commits: Sequence[str]
) -> None:
    """Add to the project the objects of the source that pointers in these commits name, new to the repository."""
    async with aclosing(pointers.new_pointers(repo_path, commits, {})) as batches:
        async for oids in batches:
            async with services.database.transaction() as tx:
                objects = await tx.values(
                    """SELECT o.id FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
                       WHERE k.project_id = :source_id AND o.oid IN :oids""",
                    source_id=source_id,
                    oids=sorted(oids),
                )
                await _link(tx, project_id, objects)


async def share(tx: Tx, source_id: int, project_id: int) -> None:
    """Add all objects of the source to its fork."""
    objects = await tx.values("SELECT k.object_id FROM lfs_links k WHERE k.project_id = :id", id=source_id)
    await _link(tx, project_id, objects)


async def _link(tx: Tx, project_id: int, object_ids: Collection[int]) -> int:
    """Add these objects to the project; how many were new."""
    added = await tx.values(
        """
        INSERT INTO lfs_links (project_id, object_id, created_at)
        SELECT :project_id, o.id, :now FROM lfs_objects o WHERE o.id IN :ids
        ON CONFLICT (project_id, object_id) DO NOTHING RETURNING object_id
        """,
        project_id=project_id,
        ids=list(object_ids),
        now=clock.now(),
    )
    if added:
        size = await tx.value(
            "SELECT CAST(sum(o.size) AS bigint) FROM lfs_objects o WHERE o.id IN :ids", ids=list(added)
        )
        await repositories.add_size(tx, project_id, "lfs_objects_size", size)
    return len(added)


async def take_unused(tx: Tx) -> list[str]:
    """Delete a batch of objects that no project has any more; their files."""
    # Locked first and then checked again: a concurrent upload of the same object waits, or creates a new one.
    ids = await tx.values(
        """SELECT o.id FROM lfs_objects o WHERE NOT EXISTS (SELECT 1 FROM lfs_links k WHERE k.object_id = o.id)
           ORDER BY o.id LIMIT :batch FOR UPDATE OF o SKIP LOCKED""",
        batch=BATCH,
    )
    return await tx.values(
        """DELETE FROM lfs_objects WHERE id IN :ids
           AND NOT EXISTS (SELECT 1 FROM lfs_links k WHERE k.object_id = lfs_objects.id) RETURNING file""",
        ids=ids,
    )


async def sweep_after_project(tx: Tx, project_id: int) -> None:  # noqa: ARG001 - the sweep covers all projects
    """Enqueue the removal of the objects that only this project had."""
    await enqueue(tx, "lfs.sweep", "")
