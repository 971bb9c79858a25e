"""Failures of replication as they are shown."""

from typing import Annotated

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_page
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


class _FailureRow(Row):
    """A project (`failed`) with the states of its repository (`r`) and its wiki (`w`)."""

    project_id: Annotated[int, "failed.project_id"]
    last_repository_synced_at: Annotated[str | None, "r.started_at"]
    last_repository_successful_sync_at: Annotated[str | None, "r.succeeded_at"]
    last_wiki_synced_at: Annotated[str | None, "w.started_at"]
    last_wiki_successful_sync_at: Annotated[str | None, "w.succeeded_at"]
    repository_retry_count: Annotated[int | None, "nullif(r.retry_count, 0)"]
    wiki_retry_count: Annotated[int | None, "nullif(w.retry_count, 0)"]
    last_repository_sync_failure: Annotated[str | None, "r.failure"]
    last_wiki_sync_failure: Annotated[str | None, "w.failure"]


async def list_failures(tx: Tx, page: Page, kind: RepositoryKind | None) -> Paged[SyncFailure]:
    """One page of the projects of which this kind of repository, or any, has failed since its last success."""
    chosen = Selection(
        """(SELECT DISTINCT f.project_id FROM replicated_repositories f
            WHERE f.dirty AND f.retry_count > 0 AND f.kind IN :kinds) failed
        LEFT JOIN replicated_repositories r ON r.project_id = failed.project_id AND r.kind = 'repository'
        LEFT JOIN replicated_repositories w ON w.project_id = failed.project_id AND w.kind = 'wiki'""",
        kinds=["repository", "wiki"] if kind is None else [kind],
    )
    return (await load_page(tx, _FailureRow, chosen, ascending("failed.project_id"), page)).map(_shown)


def _shown(row: _FailureRow) -> SyncFailure:
    # Compat: these times are spelled with a zone at the end, unlike all others.
    return to_entity(
        SyncFailure, row,
        last_repository_synced_at=_spelled(row.last_repository_synced_at),
        last_repository_successful_sync_at=_spelled(row.last_repository_successful_sync_at),
        last_wiki_synced_at=_spelled(row.last_wiki_synced_at),
        last_wiki_successful_sync_at=_spelled(row.last_wiki_successful_sync_at),
    )  # fmt: skip


def _spelled(moment: str | None) -> str | None:
    return None if moment is None else clock.spelled(moment)
