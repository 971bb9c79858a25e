"""LFS locks of files that cannot be merged."""

from typing import Annotated

from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor


class LockRow(Row, alias="k"):
    id: int
    path: str
    locked_at: str
    user_id: int
    owner: Annotated[str, "u.name"]


async def locks_in(
    tx: Tx, project_id: int, *, path: str | None = None, id: int | None = None, after: int = 0, limit: int = 100
) -> list[LockRow]:
    """The locks of a project, oldest first: all, or those of this path or id."""
    return await tx.rows(
        LockRow,
        f"""
        SELECT {LockRow.columns} FROM lfs_locks k JOIN users u ON u.id = k.user_id
        WHERE k.project_id = :project_id AND k.id > :after
        AND (CAST(:path AS text) IS NULL OR k.path = :path) AND (CAST(:id AS bigint) IS NULL OR k.id = :id)
        ORDER BY k.id LIMIT :limit
        """,
        project_id=project_id, path=path, id=id, after=after, limit=limit,
    )  # fmt: skip


async def locked_by_others(tx: Tx, project_id: int, actor: Actor) -> dict[str, str]:
    """Every path of a project that another user has locked, and that user's name."""
    return dict(
        await tx.rows(
            tuple[str, str],
            """SELECT k.path, u.name FROM lfs_locks k JOIN users u ON u.id = k.user_id
               WHERE k.project_id = :project_id AND k.user_id <> :user_id""",
            project_id=project_id,
            user_id=actor.id,
        )
    )


async def lock(tx: Tx, actor: Actor, project_id: int, path: str) -> tuple[LockRow, bool]:
    """The lock on this path, and whether this call created it."""
    made = await insert_id(
        tx, "lfs_locks", "ON CONFLICT (project_id, path) DO NOTHING", project_id=project_id, path=path,
        user_id=actor.id, locked_at=clock.now(),
    )  # fmt: skip
    if made is not None:
        await record(
            tx, "lfs_lock.created", actor, subject_id=made, project_id=project_id, changes={"path": (None, path)}
        )
    [row] = await locks_in(tx, project_id, path=path)
    return row, made is not None


async def delete_user_locks(tx: Tx, user_id: int) -> None:
    """The locks of a user who is removed end."""
    await tx.run("DELETE FROM lfs_locks WHERE user_id = :user_id", user_id=user_id)


async def unlock(tx: Tx, actor: Actor, project_id: int, row: LockRow) -> None:
    """Delete the lock."""
    await tx.run("DELETE FROM lfs_locks WHERE id = :id", id=row.id)
    await record(
        tx, "lfs_lock.deleted", actor, subject_id=row.id, project_id=project_id, changes={"path": (row.path, None)}
    )
