"""Versions and differences of merge requests as the API shows them."""

import msgspec

from mujina.code.commits.entities import Commit
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.review.merge_requests.views.merge_request import SingleMergeRequest
from mujina.review.versions.operations import FileChange
from mujina.review.versions.rules import VersionRow, versions_of


class MergeRequestVersion(msgspec.Struct, kw_only=True):
    id: int
    head_commit_sha: str | None
    base_commit_sha: str | None
    start_commit_sha: str | None
    created_at: str
    merge_request_id: int
    state: str
    real_size: str | None


class FullMergeRequestVersion(MergeRequestVersion, kw_only=True):
    commits: list[Commit]
    diffs: list[FileChange]


class MergeRequestChanges(SingleMergeRequest, kw_only=True):
    """A merge request with the files it changes."""

    changes: list[FileChange]
    overflow: bool


def _commits(version: VersionRow) -> dict[str, str | None]:
    return {
        "head_commit_sha": version.head_sha,
        "base_commit_sha": version.base_sha,
        "start_commit_sha": version.start_sha,
    }


async def load_page(tx: Tx, merge_request_id: int, page: Page) -> Paged[MergeRequestVersion]:
    """One page of the versions, the newest first."""
    rows = await load_rows(tx, VersionRow, versions_of(merge_request_id), descending("v.id"), page)
    return rows.map(lambda row: to_entity(MergeRequestVersion, row, **_commits(row)))


def full(version: VersionRow, commits: list[Commit], diffs: list[FileChange]) -> FullMergeRequestVersion:
    """A version with everything in it."""
    return to_entity(FullMergeRequestVersion, version, **_commits(version), commits=commits, diffs=diffs)


def with_changes(
    request: SingleMergeRequest, version: VersionRow | None, diffs: list[FileChange]
) -> MergeRequestChanges:
    overflow = version is not None and version.state == "overflow"
    return MergeRequestChanges(**msgspec.structs.asdict(request), changes=diffs, overflow=overflow)
