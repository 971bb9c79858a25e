"""The numbers of objects that a secondary has copied."""

from typing import Literal

import msgspec

from mujina.kernel.db.transaction import Tx

RepositoryKind = Literal["repository", "wiki"]
FileKind = Literal["attachment", "lfs", "user_avatar", "project_avatar", "group_avatar"]


class Progress(msgspec.Struct, frozen=True):
    """How many objects are equal to those of the primary, and how many failed. The others are not copied yet."""

    synced: int
    failed: int

    def within(self, count: int) -> "Progress":
        """Limits the sum to `count`: objects that were just deleted are still in the registry."""
        synced = min(self.synced, count)
        return Progress(synced, min(self.failed, count - synced))


async def count_repositories(tx: Tx, kind: RepositoryKind) -> Progress:
    row = await tx.row(
        tuple[int, int],
        """
        SELECT coalesce(CAST(sum(CASE WHEN r.succeeded_at IS NOT NULL AND NOT r.dirty THEN 1 ELSE 0 END) AS bigint), 0),
            coalesce(CAST(sum(CASE WHEN r.dirty AND r.retry_count > 0 THEN 1 ELSE 0 END) AS bigint), 0)
        FROM replicated_repositories r WHERE r.kind = :kind
        """,
        kind=kind,
    )
    return Progress(*(row or (0, 0)))


async def count_files(tx: Tx, *, lfs: bool) -> Progress:
    row = await tx.row(
        tuple[int, int],
        """
        SELECT coalesce(CAST(sum(CASE WHEN f.succeeded THEN 1 ELSE 0 END) AS bigint), 0),
            coalesce(CAST(sum(CASE WHEN NOT f.succeeded AND f.retry_count > 0 THEN 1 ELSE 0 END) AS bigint), 0)
        FROM replicated_files f WHERE (f.kind = 'lfs') = :lfs
        """,
        lfs=lfs,
    )
    return Progress(*(row or (0, 0)))


async def is_current(tx: Tx, project_id: int, kind: RepositoryKind) -> bool:
    """Whether this repository was copied and has not changed since, as far as is known here."""
    found = await tx.value(
        """SELECT 1 FROM replicated_repositories r WHERE r.project_id = :project_id AND r.kind = :kind
           AND r.succeeded_at IS NOT NULL AND NOT r.dirty""",
        project_id=project_id, kind=kind,
    )  # fmt: skip
    return found is not None
