"""Failures of replication as they are shown."""

from typing import Annotated

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.replication.registry.rules import RepositoryKind


class SyncFailure(msgspec.Struct):
    """A project whose repository or wiki could not be copied."""

    project_id: int
    last_repository_synced_at: Annotated[str | None, "r.started_at"]
    last_repository_successful_sync_at: Annotated[str | None, "r.succeeded_at"]
    last_wiki_synced_at: Annotated[str | None, "w.started_at"]
    last_wiki_successful_sync_at: Annotated[str | None, "w.succeeded_at"]
    repository_retry_count: Annotated[int | None, "nullif(r.retry_count, 0)"]
    wiki_retry_count: Annotated[int | None, "nullif(w.retry_count, 0)"]
    last_repository_sync_failure: Annotated[str | None, "r.failure"]
    last_wiki_sync_failure: Annotated[str | None, "w.failure"]


class _FailureRow(Row, alias="failed", of=SyncFailure):
    """A project (`failed`) with the states of its repository (`r`) and its wiki (`w`)."""


async def list_failures(tx: Tx, page: Page, kind: RepositoryKind | None) -> Paged[SyncFailure]:
    """One page of the projects of which this kind of repository, or any, has failed since its last success."""
    selection = Selection(
        """(SELECT DISTINCT f.project_id FROM replicated_repositories f
            WHERE f.dirty AND f.retry_count > 0 AND f.kind IN :kinds) failed
        LEFT JOIN replicated_repositories r ON r.project_id = failed.project_id AND r.kind = 'repository'
        LEFT JOIN replicated_repositories w ON w.project_id = failed.project_id AND w.kind = 'wiki'""",
        kinds=["repository", "wiki"] if kind is None else [kind],
    )
    return (await load_rows(tx, _FailureRow, selection, ascending("failed.project_id"), page)).map(_to_entity)


def _to_entity(row: _FailureRow) -> SyncFailure:
    shown = to_entity(SyncFailure, row)
    # Compat: these times are spelled with a zone at the end, unlike all others.
    for name in SyncFailure.__struct_fields__:
        if name.endswith("_at") and getattr(shown, name) is not None:
            setattr(shown, name, clock.spelled(getattr(shown, name)))
    return shown
