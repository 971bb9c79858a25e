"""The only ways to find the versions of a merge request."""

from typing import LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx


class VersionRow(Row, alias="v"):
    """A version as it is stored."""

    id: int
    merge_request_id: int
    head_sha: str | None
    base_sha: str | None
    start_sha: str | None
    state: str
    real_size: str | None
    created_at: str


NEWEST_VERSION: LiteralString = """merge_request_versions v ON v.id = (
    SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)"""
"""The newest version (`v`) of the request `mr`, behind `JOIN` or `LEFT JOIN`."""


def versions_of(merge_request_id: int) -> Selection:
    return Selection("merge_request_versions v", "v.merge_request_id = :id", id=merge_request_id)


async def find_newest_version(tx: Tx, merge_request_id: int) -> VersionRow | None:
    """The newest version; None if the request has none."""
    selection = versions_of(merge_request_id)
    return await tx.row(
        VersionRow, f"SELECT {VersionRow.columns} {selection.text} ORDER BY v.id DESC LIMIT 1", **selection.bound
    )


async def requests_with(tx: Tx, project_id: int, commit: str, iids: list[int], bases: set[str]) -> list[int]:
    """The ids of the requests among these that compare with one of the bases, and of those merged by this commit."""
    compared = await tx.rows(
        tuple[int, str],
        f"""SELECT mr.id, v.base_sha FROM merge_requests mr JOIN {NEWEST_VERSION}
           WHERE mr.project_id = :project_id AND mr.iid IN :iids AND v.base_sha IS NOT NULL""",
        project_id=project_id,
        iids=iids,
    )
    merged = await tx.values(
        """SELECT mr.id FROM merge_requests mr WHERE mr.project_id = :project_id
           AND (mr.merge_commit_sha = :commit OR mr.squash_commit_sha = :commit)""",
        project_id=project_id,
        commit=commit,
    )
    return sorted({id_ for id_, base in compared if base in bases} | set(merged))


async def find_version(tx: Tx, merge_request_id: int, version_id: int) -> VersionRow:
    """The version, if it belongs to this request."""
    selection = versions_of(merge_request_id).where("v.id = :version_id", version_id=version_id)
    return await find_row(tx, VersionRow, selection, "Version")
