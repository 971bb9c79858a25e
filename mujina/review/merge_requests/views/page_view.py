"""A merge request as its pages show it: the API's entity, and what the reader may do with it."""

import contextlib
from collections.abc import Sequence
from typing import Annotated

import msgspec

from mujina.code.pipelines.rules import WRITE_PIPELINES
from mujina.code.protected_branches.rules import Protection, protections
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.awards.rules import awarded
from mujina.review.approvals.operations import ApprovableRow
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.drafts import shown_title
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.rules import (
    COMMENT_ON_MERGE_REQUEST,
    DELETE_MERGE_REQUEST,
    NOTE_SOURCES,
    find_merge_request_as,
    may_merge,
)
from mujina.review.merge_requests.views.merge_request import AUTHOR_AND_VERSION, SingleMergeRequest, SingleView
from mujina.review.merging import operations as merging_operations
from mujina.review.versions import operations as versions
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow, find_project


class MergeRequestPageRow(ApprovableRow):
    """A request with the rights that its pages ask for, and its newest version."""

    deletable: Annotated[bool, DELETE_MERGE_REQUEST]
    commentable: Annotated[bool, COMMENT_ON_MERGE_REQUEST]
    code_readable: Annotated[bool, READ_CODE]
    """The author of a request may read it without the code of its project."""
    pipelines_writable: Annotated[bool, WRITE_PIPELINES]
    commented: Annotated[
        bool,
        """EXISTS (SELECT 1 FROM commented_commits c WHERE c.project_id = mr.project_id)
            OR EXISTS (SELECT 1 FROM commented_commits c WHERE c.project_id = mr.source_project_id)""",
    ]
    """Whether its projects have comments on commits."""
    awarded: Annotated[bool, awarded("merge_request", "mr.id")]
    note_sources: Annotated[str, NOTE_SOURCES]
    merge_status: str
    checked_pair: str
    head_sha: Annotated[str | None, "v.head_sha"]
    start_sha: Annotated[str | None, "v.start_sha"]


class _PageView(Row):
    row: MergeRequestPageRow
    view: SingleView


class FoundForPage(msgspec.Struct, frozen=True):
    """A request, and what git says about it."""

    row: MergeRequestPageRow
    view: SingleView
    commits: int
    target_exists: bool
    source_exists: bool
    """Whether the target project has a branch named like the source: that of a request without a fork."""


class MergeRequestOnPage(msgspec.Struct, frozen=True):
    row: MergeRequestPageRow
    request: SingleMergeRequest
    source: ProjectRow | None
    """The source project, if it is another one that the reader may read."""
    commits: int
    target_exists: bool
    protections: Sequence[Protection]
    """The protections of the project, if the actor may merge or run pipelines at all."""

    @property
    def title(self) -> str:
        return shown_title(self.request.title)

    @property
    def word(self) -> str:
        """The state in a word."""
        if self.request.state in ("merged", "closed"):
            return self.request.state.capitalize()
        return "Draft" if self.request.draft else "Open"

    @property
    def changes(self) -> int | None:
        """The number of changed files, as far as they are counted."""
        count = self.request.changes_count
        return None if count is None else int(count.rstrip("+"))

    @property
    def forked(self) -> bool:
        return self.row.source_project_id != self.row.project_id


async def find_for_page(services: Services, actor: Actor, project_id: int, iid: int) -> FoundForPage:
    """The request, with a current `merge_status`; 404 if the actor may not read it."""
    found = await _find(services, actor, project_id, iid)
    row, repository = found.row, repository_of(found.row)
    tip, source = versions.tips(await repository.repo_path(services), row.target_branch, row.source_branch)
    if row.state == "opened" and (row.merge_status == "unchecked" or row.checked_pair != f"{row.head_sha}:{tip}"):
        await merging_operations.check_for_reader(services, row.id)
        found = await _find(services, actor, project_id, iid)
        row = found.row
    number = 0
    if row.head_sha is not None and row.start_sha is not None:
        number = await versions.count(services, repository, row.start_sha, row.head_sha)
    return FoundForPage(row, found.view, number, tip is not None, source is not None)


async def _find(services: Services, actor: Actor, project_id: int, iid: int) -> _PageView:
    async with services.database.reading() as tx:
        return await find_merge_request_as(
            _PageView, tx, actor, Ref.of(project_id), iid, hide=True, joined=AUTHOR_AND_VERSION
        )


async def read_for_page(tx: Tx, actor: Actor, found: FoundForPage, *, merging: bool = False) -> MergeRequestOnPage:
    """The context of every page of the request; `merging`: with what decides whether the actor may merge it."""
    row = found.row
    decided = merging and row.state == "opened" and not actor.anonymous
    known = await protections(tx, actor, row.project_id, row.level) if decided else []
    can_merge = decided and await may_merge(tx, actor, row, known)
    request = await entities.to_single(tx, actor, found.view, can_merge=can_merge)
    source = None
    if row.source_project_id is not None and row.source_project_id != row.project_id:
        with contextlib.suppress(errors.ApiError):
            source = await find_project(tx, actor, Ref.of(row.source_project_id), to=READ_CODE)
    return MergeRequestOnPage(
        row=row, request=request, source=source, commits=found.commits, target_exists=found.target_exists,
        protections=known,
    )  # fmt: skip
