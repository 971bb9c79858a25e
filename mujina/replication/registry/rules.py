"""The numbers of objects that a secondary has copied."""

from typing import Literal

import msgspec

from mujina.kernel.db.transaction import Tx

RepositoryKind = Literal["repository", "wiki"]


class Progress(msgspec.Struct, frozen=True):
    """How many objects are equal to those of the primary, and how many failed. The others are not copied yet."""

    synced: int
    failed: int

    def within(self, count: int) -> "Progress":
        """Limits the sum to `count`: objects that were just deleted are still in the registry."""
        synced = min(self.synced, count)
        return Progress(synced, min(self.failed, count - synced))


async def count_repositories(tx: Tx, kind: RepositoryKind) -> Progress:
    [counts] = await tx.rows(
        tuple[int, int],
        """SELECT count(*) FILTER (WHERE r.succeeded_at IS NOT NULL AND NOT r.dirty),
               count(*) FILTER (WHERE r.dirty AND r.retry_count > 0)
           FROM replicated_repositories r WHERE r.kind = :kind""",
        kind=kind,
    )
    return Progress(*counts)


async def count_files(tx: Tx, noun: Literal["attachments", "lfs_objects", "job_artifacts"]) -> Progress:
    [counts] = await tx.rows(
        tuple[int, int],
        """SELECT count(*) FILTER (WHERE f.succeeded), count(*) FILTER (WHERE NOT f.succeeded AND f.retry_count > 0)
           FROM replicated_files f
           WHERE CASE f.kind WHEN 'lfs' THEN 'lfs_objects' WHEN 'job_artifact' THEN 'job_artifacts'
               WHEN 'package_file' THEN 'package_files' WHEN 'site' THEN 'sites' ELSE 'attachments' END = :noun""",
        noun=noun,
    )
    return Progress(*counts)


async def is_current(tx: Tx, project_id: int, kind: RepositoryKind) -> bool:
    """Whether this repository was copied and has not changed since, as far as is known here."""
    found = await tx.value(
        """SELECT 1 FROM replicated_repositories r WHERE r.project_id = :project_id AND r.kind = :kind
           AND r.succeeded_at IS NOT NULL AND NOT r.dirty""",
        project_id=project_id,
        kind=kind,
    )
    return found is not None
