"""Failures of replication as they are shown."""

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.paging import Page, Paged
from mujina.replication.registry.rules import RepositoryKind


class SyncFailure(msgspec.Struct):
    """A project whose repository or wiki could not be copied."""

    project_id: int
    last_repository_synced_at: str | None
    last_repository_successful_sync_at: str | None
    last_wiki_synced_at: str | None
    last_wiki_successful_sync_at: str | None
    repository_retry_count: int | None
    wiki_retry_count: int | None
    last_repository_sync_failure: str | None
    last_wiki_sync_failure: str | None


class _FailureRow(msgspec.Struct, array_like=True, frozen=True):
    project_id: int
    last_repository_synced_at: str | None
    last_repository_successful_sync_at: str | None
    last_wiki_synced_at: str | None
    last_wiki_successful_sync_at: str | None
    repository_retry_count: int | None
    wiki_retry_count: int | None
    last_repository_sync_failure: str | None
    last_wiki_sync_failure: str | None


async def list_failures(tx: Tx, page: Page, kind: RepositoryKind | None) -> Paged[SyncFailure]:
    """One page of the projects of which this kind of repository, or any, has failed since its last success."""
    kinds = ["repository", "wiki"] if kind is None else [kind]
    rows = await tx.rows(
        _FailureRow,
        """
        SELECT failed.project_id, r.started_at, r.succeeded_at, w.started_at, w.succeeded_at,
            nullif(r.retry_count, 0), nullif(w.retry_count, 0), r.failure, w.failure
        FROM (SELECT DISTINCT f.project_id FROM replicated_repositories f
              WHERE f.dirty AND f.retry_count > 0 AND f.kind IN :kinds) failed
        LEFT JOIN replicated_repositories r ON r.project_id = failed.project_id AND r.kind = 'repository'
        LEFT JOIN replicated_repositories w ON w.project_id = failed.project_id AND w.kind = 'wiki'
        ORDER BY failed.project_id LIMIT :limit OFFSET :offset
        """,
        kinds=kinds, **page.bound,
    )  # fmt: skip
    total = await tx.value(
        """SELECT count(DISTINCT f.project_id) FROM replicated_repositories f
           WHERE f.dirty AND f.retry_count > 0 AND f.kind IN :kinds""",
        kinds=kinds,
    )
    return page.of([_shown(row) for row in rows], total)


def _shown(row: _FailureRow) -> SyncFailure:
    # Compat: these times are spelled with a zone at the end, unlike all others.
    return shown(
        SyncFailure, row,
        last_repository_synced_at=_spelled(row.last_repository_synced_at),
        last_repository_successful_sync_at=_spelled(row.last_repository_successful_sync_at),
        last_wiki_synced_at=_spelled(row.last_wiki_synced_at),
        last_wiki_successful_sync_at=_spelled(row.last_wiki_successful_sync_at),
    )  # fmt: skip


def _spelled(moment: str | None) -> str | None:
    return None if moment is None else clock.spelled(moment)
