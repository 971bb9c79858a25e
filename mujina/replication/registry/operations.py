"""Keeping the registry: what is to be copied, what was, and what failed. All of it runs on the local database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from random import randint
from typing import Final, Literal

from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert_each, update
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.monitoring.logs import log
from mujina.planning.storage.files import FileKind
from mujina.replication.registry.rules import RepositoryKind

MAX_DELAY: Final = timedelta(days=7)
UNEQUAL_DELAY: Final = timedelta(seconds=2)
"""The delay before a repository that changed while it was copied is copied again."""
MISSING_FILE: Final = "The file was missing on this node"
FETCH_ATTEMPTS: Final = 5
"""Further attempts clone the repository anew."""


class DueRepository(Row, alias="r"):
    project_id: int
    kind: RepositoryKind
    changes: int
    fresh: bool
    loss_confirmed: bool
    retry_count: int


class DueFile(Row, alias="f"):
    key: str
    kind: FileKind
    object_id: int
    retry_count: int


def delay(failures: int) -> timedelta:
    """The time until the next attempt: n⁴ + 15 + random(30)·(n + 1) seconds, at most a week."""
    seconds = failures**4 + 15 + randint(0, 30) * (failures + 1)  # noqa: S311 - no secret
    return min(timedelta(seconds=seconds), MAX_DELAY)


async def add_repositories(tx: Tx, kind: RepositoryKind, project_ids: Collection[int]) -> None:
    """Adds repositories to copy, unless they are known."""
    rows = [{"project_id": id, "kind": kind, "due_at": clock.now()} for id in project_ids]
    await insert_each(tx, "replicated_repositories", rows, "ON CONFLICT (project_id, kind) DO NOTHING")


async def mark_changed(tx: Tx, kind: RepositoryKind, project_ids: Collection[int]) -> None:
    """Marks repositories to be copied, again if they are known, and at once if they failed before."""
    rows = [{"project_id": id, "kind": kind, "due_at": clock.now()} for id in project_ids]
    await insert_each(
        tx, "replicated_repositories", rows, """ON CONFLICT (project_id, kind) DO UPDATE SET
            changes = replicated_repositories.changes + 1, dirty = TRUE, due_at = excluded.due_at""",
    )  # fmt: skip


async def mark_all(tx: Tx) -> None:
    """Every repository is to be compared with the primary again."""
    await tx.run(
        "UPDATE replicated_repositories SET dirty = TRUE, changes = changes + 1, due_at = :now", now=clock.now()
    )


async def forget_repositories(tx: Tx, project_ids: Collection[int], kind: RepositoryKind | None = None) -> None:
    """The projects no longer exist, or no longer have this kind of repository."""
    kinds = ["repository", "wiki"] if kind is None else [kind]
    await tx.run(
        "DELETE FROM replicated_repositories WHERE project_id IN :ids AND kind IN :kinds",
        ids=list(project_ids),
        kinds=kinds,
    )


async def list_project_ids(tx: Tx, kind: RepositoryKind, after: int, limit: int) -> list[int]:
    return await tx.values(
        """SELECT r.project_id FROM replicated_repositories r WHERE r.kind = :kind AND r.project_id > :after
           ORDER BY r.project_id LIMIT :limit""",
        kind=kind,
        after=after,
        limit=limit,
    )


async def next_repositories(tx: Tx, running: Collection[tuple[int, RepositoryKind]], limit: int) -> list[DueRepository]:
    """Repositories to copy now, those first that wait longest."""
    return await tx.rows(
        DueRepository,
        f"""SELECT {DueRepository.columns} FROM replicated_repositories r
            WHERE r.dirty AND r.due_at <= :now AND r.project_id || r.kind NOT IN :running
            ORDER BY r.due_at, r.project_id LIMIT :limit""",
        now=clock.now(),
        running=[f"{id}{kind}" for id, kind in running],
        limit=limit,
    )


async def begin_repository(tx: Tx, row: DueRepository) -> str:
    """Record an attempt; when it began."""
    now = clock.now()
    await update(tx, "replicated_repositories", {"started_at": now}, project_id=row.project_id, kind=row.kind)
    return now


async def end_repository(tx: Tx, row: DueRepository, started_at: str, *, equal: bool) -> bool:
    """The repository was copied. It stays to be copied if it changed meanwhile. False if it was forgotten meanwhile."""
    changed = await tx.run(
        """
        UPDATE replicated_repositories SET succeeded_at = :started_at, verified_at = :now, retry_count = 0,
            failure = NULL, fresh = FALSE, loss_confirmed = FALSE, due_at = :due_at,
            dirty = CASE WHEN :equal AND changes = :changes THEN FALSE ELSE TRUE END
        WHERE project_id = :project_id AND kind = :kind
        """,
        started_at=started_at, now=clock.now(), due_at=clock.later(timedelta(0) if equal else UNEQUAL_DELAY), equal=equal,
        changes=row.changes, project_id=row.project_id, kind=row.kind,
    )  # fmt: skip
    return changed == 1


async def fail_repository(tx: Tx, row: DueRepository, failure: str, *, broken: bool) -> None:
    """The attempt failed; it is tried again later, after some failures or if the copy is broken by a new clone."""
    failures = row.retry_count + 1
    columns = {
        "retry_count": failures,
        "failure": failure,
        "due_at": clock.later(timedelta(0) if broken else delay(failures)),
        "fresh": broken or failures >= FETCH_ATTEMPTS,
    }
    await update(tx, "replicated_repositories", columns, project_id=row.project_id, kind=row.kind)


async def confirm_loss(tx: Tx, project_id: int, kind: RepositoryKind) -> bool:
    """The next attempt, which is due now, may delete most refs of the copy. False if no attempt failed."""
    changed = await tx.run(
        """UPDATE replicated_repositories SET loss_confirmed = TRUE, dirty = TRUE, due_at = :now
           WHERE project_id = :project_id AND kind = :kind AND failure IS NOT NULL""",
        now=clock.now(),
        project_id=project_id,
        kind=kind,
    )
    return changed == 1


async def due_for_check(tx: Tx, before: str) -> DueRepository | None:
    """The repository whose last comparison with the primary is oldest, if it was before this time."""
    return await tx.row(
        DueRepository,
        f"""SELECT {DueRepository.columns} FROM replicated_repositories r
            WHERE NOT r.dirty AND r.verified_at < :before ORDER BY r.verified_at LIMIT 1""",
        before=before,
    )


async def record_check(tx: Tx, row: DueRepository, *, equal: bool, whole: bool) -> None:
    """A copy that differs from the primary is fetched again; one that is broken is cloned again."""
    columns = {"verified_at": clock.now(), "dirty": not (equal and whole), "fresh": not whole, "due_at": clock.now()}
    await update(tx, "replicated_repositories", columns, project_id=row.project_id, kind=row.kind, changes=row.changes)


async def mark_files(tx: Tx, kind: FileKind, files: Mapping[int, str]) -> None:
    """Marks files to be copied, unless they are known."""
    rows = [{"key": key, "kind": kind, "object_id": id, "due_at": clock.now()} for id, key in files.items()]
    await insert_each(tx, "replicated_files", rows, "ON CONFLICT (key) DO NOTHING")


async def next_files(tx: Tx, running: Collection[str], limit: int) -> list[DueFile]:
    return await tx.rows(
        DueFile,
        f"""SELECT {DueFile.columns} FROM replicated_files f
            WHERE NOT f.succeeded AND f.due_at <= :now AND f.key NOT IN :running ORDER BY f.due_at, f.key LIMIT :limit""",
        now=clock.now(),
        running=list(running),
        limit=limit,
    )


async def list_known_files(tx: Tx, after: str, limit: int) -> list[DueFile]:
    return await tx.rows(
        DueFile,
        f"SELECT {DueFile.columns} FROM replicated_files f WHERE f.key > :after ORDER BY f.key LIMIT :limit",
        after=after,
        limit=limit,
    )


async def end_file(tx: Tx, key: str) -> bool:
    """The file was copied. False if it was forgotten meanwhile."""
    columns = {"succeeded": True, "retry_count": 0, "failure": None}
    return await update(tx, "replicated_files", columns, key=key) == 1


async def fail_file(tx: Tx, file: DueFile, failure: str) -> None:
    failures = file.retry_count + 1
    columns = {"retry_count": failures, "failure": failure, "due_at": clock.later(delay(failures))}
    await update(tx, "replicated_files", columns, key=file.key)


async def has_copied(registry: Database, kind: Literal["repositories", "files"]) -> bool:
    """Whether anything of this kind was copied."""
    async with registry.reading() as tx:
        if kind == "files":
            return await tx.value("SELECT 1 FROM replicated_files f WHERE f.succeeded LIMIT 1") is not None
        copied = await tx.value("SELECT 1 FROM replicated_repositories r WHERE r.succeeded_at IS NOT NULL LIMIT 1")
        return copied is not None


async def record_missing(registry: Database, key: str) -> None:
    """A file that was copied is gone: the failure is recorded, and the file is copied again."""
    try:
        async with registry.transaction() as tx:
            await tx.run(
                """UPDATE replicated_files SET succeeded = FALSE, retry_count = 1, failure = :failure, due_at = :now
                   WHERE key = :key AND succeeded""",
                key=key,
                failure=MISSING_FILE,
                now=clock.now(),
            )
    except Exception as error:  # noqa: BLE001 - the request is answered by the primary all the same
        log.warning("the registry cannot be written", error=repr(error))


async def has_replaced(tx: Tx, kind: FileKind, current: Mapping[int, str], object_ids: Collection[int]) -> bool:
    """Whether there are copies of files that these objects no longer have."""
    return bool(
        await tx.value(
            """SELECT 1 FROM replicated_files f WHERE f.kind = :kind AND f.object_id IN :ids AND f.key NOT IN :keys""",
            kind=kind,
            ids=list(object_ids),
            keys=list(current.values()),
        )
    )


async def forget_files(tx: Tx, keys: Sequence[str]) -> None:
    await tx.run("DELETE FROM replicated_files WHERE key IN :keys", keys=list(keys))
