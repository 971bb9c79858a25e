"""What happens to large files."""

from collections.abc import Sequence
from typing import LiteralString

from mujina.domains.repositories import operations as repositories
from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record

OWN: LiteralString = """
    SELECT o.oid FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
    WHERE k.project_id = :project_id AND o.oid IN :oids"""

# What a fork's history names was uploaded to the project it was forked from.
INHERITED: LiteralString = """
    WITH RECURSIVE line (id, parent_id) AS (
        SELECT p.id, p.forked_from_id FROM projects p WHERE p.id = :project_id
        UNION
        SELECT p.id, p.forked_from_id FROM projects p JOIN line ON p.id = line.parent_id)
    SELECT DISTINCT o.oid FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
    WHERE k.project_id IN (SELECT line.id FROM line) AND o.oid IN :oids"""


def name_of(oid: str) -> str:
    """Where the content is in storage."""
    return f"lfs/{oid[:2]}/{oid[2:4]}/{oid}"


async def held(tx: Tx, project_id: int, oids: Sequence[str], *, inherited: bool = False) -> set[str]:
    """Those among these objects that the project has; with `inherited`, also through what it was forked from."""
    return set(await tx.values(INHERITED if inherited else OWN, project_id=project_id, oids=list(oids)))


async def size_of(tx: Tx, oid: str) -> int | None:
    return await tx.value("SELECT o.size FROM lfs_objects o WHERE o.oid = :oid", oid=oid)


async def keep(tx: Tx, actor: Actor, project_id: int, oid: str, size: int) -> None:
    """The project has the object, whose content is in storage already."""
    now = clock.now()
    await tx.run(
        "INSERT INTO lfs_objects (oid, size, created_at) VALUES (:oid, :size, :now) ON CONFLICT (oid) DO NOTHING",
        oid=oid, size=size, now=now,
    )  # fmt: skip
    added = await tx.run(
        """
        INSERT INTO lfs_links (project_id, object_id, created_at)
        SELECT :project_id, o.id, :now FROM lfs_objects o WHERE o.oid = :oid
        ON CONFLICT (project_id, object_id) DO NOTHING
        """,
        project_id=project_id, oid=oid, now=now,
    )  # fmt: skip
    if added:
        await repositories.add_lfs_size(tx, project_id, size)
        await record(
            tx, "lfs_object.uploaded", actor, subject_id=project_id, project_id=project_id,
            changes={"oid": (None, oid)},
        )  # fmt: skip
