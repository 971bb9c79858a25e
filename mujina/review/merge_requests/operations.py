"""Creating, editing, closing and deleting merge requests."""

from typing import Any, LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.owners import Owner
from mujina.kernel.params import UNSET
from mujina.kernel.services import Services
from mujina.kernel.text import fold
from mujina.planning.issues.operations import MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH
from mujina.planning.milestones import operations as milestones
from mujina.review.merge_requests import pairs
from mujina.review.merge_requests.drafts import is_draft
from mujina.review.merge_requests.pairs import Pair
from mujina.review.merge_requests.params import CreateMergeRequest, EditMergeRequest, MergeRequestChange
from mujina.review.merge_requests.rules import MergeRequestRow
from mujina.review.merge_requests.triage import triage
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import Branches, NewVersion, RepositoryOf

MAX_BRANCH_LENGTH = 255

_INSERT: LiteralString = """
    INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch, title, title_folded,
        description, description_folded, draft, author_id, milestone_id, squash, force_remove_source_branch,
        approvals_before_merge, created_at, updated_at)
    VALUES (:project_id, next_iid('project', :project_id, 'merge_request'), :source_project_id, :source_branch,
        :target_branch, :title, :title_folded, :description, :description_folded, :draft, :author_id, :milestone_id,
        :squash, :force_remove_source_branch, :approvals_before_merge, :now, :now)
    RETURNING id, iid"""

_DEFAULTS: dict[str, Any] = {
    "description": None, "description_folded": "", "milestone_id": None, "squash": False,
    "force_remove_source_branch": False, "approvals_before_merge": None,
}  # fmt: skip


async def create(tx: Tx, actor: Actor, pair: Pair, change: CreateMergeRequest, version: NewVersion) -> int:
    """A new request; its iid. Values that only triage decides are ignored if the actor may not triage in the target."""
    owner = Owner("project", pair.target.id, pair.target.namespace_id)
    columns = {**_columns(change), **_titled(change.title.strip())}
    _check(columns | {"source_branch": pair.branches.source_branch, "target_branch": pair.branches.target_branch})
    columns = await _permitted(tx, owner, columns, triager=pair.triager)
    try:
        [(request_id, iid)] = await tx.rows(
            tuple[int, int], _INSERT, **_DEFAULTS | columns, project_id=pair.target.id,
            source_project_id=pair.source.id, source_branch=pair.branches.source_branch,
            target_branch=pair.branches.target_branch, author_id=actor.id, now=clock.now(),
        )  # fmt: skip
    except UniqueViolation:
        raise pairs.duplicate(columns["title"]) from None
    await versions.add(tx, request_id, version)
    changes: dict[str, Any] = {"title": (None, columns["title"]), "description": (None, columns.get("description"))}
    if pair.triager:
        changes |= await triage(tx, owner, request_id, change)
    await record(
        tx, "merge_request.created", actor, subject_id=request_id, project_id=pair.target.id, changes=changes,
        project_active_at=pair.target.last_activity_at,
    )  # fmt: skip
    return iid


def branches_of(request: MergeRequestRow, target_branch: str | None = None) -> Branches:
    """What the request compares, or would compare with another target branch."""
    source = None
    if request.source_project_id is not None:
        source = RepositoryOf(request.source_project_id, request.source_storage or "")
    return Branches(source, request.source_branch, repository_of(request), target_branch or request.target_branch)


def repository_of(request: MergeRequestRow) -> RepositoryOf:
    """The repository of the target, which has every commit of the request."""
    return RepositoryOf(request.project_id, request.storage)


async def prepare_edit(services: Services, request: MergeRequestRow, change: EditMergeRequest) -> NewVersion | None:
    """The version that the change requires, if it requires one: a request is reopened, or compared anew."""
    reopens = change.state_event == "reopen" and request.state == "closed"
    target_branch = change.target_branch or None
    if reopens or (request.state == "opened" and target_branch not in (None, request.target_branch)):
        return await versions.prepare(services, branches_of(request, target_branch))
    return None


async def edit(
    tx: Tx, actor: Actor, request: MergeRequestRow, change: EditMergeRequest, version: NewVersion | None
) -> None:
    """Apply the change and record old and new values: the state first, then the rest."""
    owner = Owner("project", request.project_id, request.namespace_id)
    columns = _columns(change)
    if change.title is not UNSET:
        columns |= _titled(change.title.strip())
    if change.target_branch is not UNSET:
        columns["target_branch"] = change.target_branch.strip()
    _check(columns)
    pairs.check_approvals(change.approvals_before_merge, request.approvals_required)
    columns = await _permitted(tx, owner, columns, triager=request.triager)
    before = await lock(tx, request.id)
    columns |= _state(actor, before, change)
    if before.state == "merged" or (before.state == "closed" and request.source_project_id is None):
        columns.pop("target_branch", None)
    await _check_branches(tx, request, before, columns, version)
    changes: dict[str, Any] = {
        name: (getattr(before, name), value)
        for name, value in columns.items()
        if name in LockedMergeRequest.__struct_fields__ and getattr(before, name) != value
    }
    if changes.keys() & {"target_branch"} or columns.get("state") == "opened":
        columns["merge_status"] = "unchecked"
    await update(tx, "merge_requests", {**columns, "updated_at": clock.now()}, id=request.id)
    if version is not None and columns.get("state", before.state) == "opened":
        await versions.add(tx, request.id, version)
    if request.triager:
        changes |= await triage(tx, owner, request.id, change)
    if changes:
        await record(
            tx, _kind(changes), actor, subject_id=request.id, project_id=request.project_id, changes=changes,
            project_active_at=request.project_active_at,
        )  # fmt: skip


async def remove(tx: Tx, actor: Actor, request: MergeRequestRow) -> None:
    """Delete the request; its branches stay, and its iid is never used again."""
    await lock(tx, request.id)
    await tx.run("DELETE FROM merge_requests WHERE id = :id", id=request.id)
    await record(tx, "merge_request.deleted", actor, subject_id=request.id, project_id=request.project_id)


async def store_status(tx: Tx, request_id: int, head: str | None, pair: str, *, mergeable: bool) -> None:
    """Store whether the request can be merged, unless its head has changed; `updated_at` stays."""
    await tx.run(
        """
        UPDATE merge_requests SET merge_status = :status, checked_pair = :pair WHERE id = :id AND state = 'opened'
        AND :head IS NOT DISTINCT FROM (SELECT v.head_sha FROM merge_request_versions v
            WHERE v.merge_request_id = merge_requests.id ORDER BY v.id DESC LIMIT 1)
        """,
        id=request_id, head=head, pair=pair, status="can_be_merged" if mergeable else "cannot_be_merged",
    )  # fmt: skip


async def start_merge(tx: Tx, request_id: int, commit: str, squash_commit: str | None) -> None:
    """Name the commit that merges the request: once the target branch has it, the request is merged."""
    await update(
        tx,
        "merge_requests",
        {"merging_sha": commit, "merging_squash_sha": squash_commit, "merge_error": None},
        id=request_id,
    )


async def fail_merge(tx: Tx, request_id: int, reason: str) -> None:
    """The request stays open and says why."""
    await update(
        tx,
        "merge_requests",
        {"merging_sha": None, "merging_squash_sha": None, "merge_error": reason},
        id=request_id,
    )


async def _check_branches(
    tx: Tx, request: MergeRequestRow, before: "LockedMergeRequest", columns: dict[str, Any], version: NewVersion | None
) -> None:
    """Refuse to open a request without a source, or one for the same branches as another open request."""
    target_branch = columns.get("target_branch", before.target_branch)
    retargeted, reopened = target_branch != before.target_branch, columns.get("state") == "opened"
    source_id = request.source_project_id
    if reopened and source_id is None:
        raise errors.unprocessable([pairs.NOT_RELATED])
    if reopened and (version is None or version.head_sha is None):
        raise errors.unprocessable([f'Source branch "{request.source_branch}" does not exist'])
    if retargeted and source_id == request.project_id and target_branch == request.source_branch:
        raise errors.unprocessable([pairs.SAME_BRANCH])
    if source_id is not None and columns.get("state", before.state) == "opened" and (retargeted or reopened):
        await pairs.refuse_duplicate(
            tx, source_id, request.source_branch, request.project_id, target_branch, request.id
        )


def _state(actor: Actor, before: "LockedMergeRequest", change: EditMergeRequest) -> dict[str, Any]:
    """Closing a request that is not open and reopening one that is not closed change nothing."""
    if change.state_event == "close" and before.state == "opened":
        return {"state": "closed", "closed_at": clock.now(), "closed_by_id": actor.id}
    if change.state_event == "reopen" and before.state == "closed":
        return {"state": "opened", "closed_at": None, "closed_by_id": None}
    return {}


def _kind(changes: dict[str, Any]) -> str:
    match changes.get("state"):
        case (_, "closed"):
            return "merge_request.closed"
        case (_, "opened"):
            return "merge_request.reopened"
        case _:
            return "merge_request.updated"


def _titled(title: str) -> dict[str, Any]:
    return {"title": title, "title_folded": fold(title), "draft": is_draft(title)}


_NAMES = {"remove_source_branch": "force_remove_source_branch"}
_SETTABLE = {
    "description", "milestone_id", "squash", "force_remove_source_branch", "approvals_before_merge", "discussion_locked",
}  # fmt: skip
_TRIAGED = {"milestone_id", "discussion_locked"}


def _columns(change: MergeRequestChange) -> dict[str, Any]:
    """The columns, besides title and branches, that a request sets."""
    params = {_NAMES.get(name, name): value for name, value in change.given().items()}
    columns = {name: value for name, value in params.items() if name in _SETTABLE}
    if "description" in columns:
        columns["description"] = columns["description"] or None
        columns["description_folded"] = fold(columns["description"] or "")
    if columns.get("milestone_id") == 0:
        columns["milestone_id"] = None
    return columns


async def _permitted(tx: Tx, owner: Owner, columns: dict[str, Any], *, triager: bool) -> dict[str, Any]:
    """The columns that the actor may set; a milestone that the project cannot use becomes null."""
    if not triager:
        return {name: value for name, value in columns.items() if name not in _TRIAGED}
    if columns.get("milestone_id"):
        return columns | {"milestone_id": await milestones.usable(tx, owner, columns["milestone_id"])}
    return columns


def _check(columns: dict[str, Any]) -> None:
    problems = Problems()
    for name, max_length in (
        ("title", MAX_TITLE_LENGTH),
        ("source_branch", MAX_BRANCH_LENGTH),
        ("target_branch", MAX_BRANCH_LENGTH),
    ):
        if name in columns:
            problems.require(name, columns[name])
            problems.limit(name, columns[name], max_length)
    problems.limit("description", columns.get("description"), MAX_DESCRIPTION_LENGTH)
    problems.refuse()


class LockedMergeRequest(Row, alias="mr"):
    """The columns whose old values edits compare and record, read while the row is locked."""

    title: str
    description: str | None
    state: str
    target_branch: str
    milestone_id: int | None
    discussion_locked: bool
    squash: bool
    force_remove_source_branch: bool
    approvals_before_merge: int | None
    time_estimate: int
    total_time_spent: int
    merge_when_pipeline_succeeds: bool


async def store_times(tx: Tx, request_id: int, columns: dict[LiteralString, int]) -> None:
    """Store `time_estimate` or `total_time_spent`, in seconds."""
    await update(tx, "merge_requests", {**columns, "updated_at": clock.now()}, id=request_id)


async def lock(tx: Tx, request_id: int) -> LockedMergeRequest:
    """The current values of the request, locked until the transaction ends; 404 if it was deleted in the meantime."""
    request = await tx.row(
        LockedMergeRequest,
        f"SELECT {LockedMergeRequest.columns} FROM merge_requests mr WHERE mr.id = :id FOR UPDATE",
        id=request_id,
    )
    if request is None:
        raise errors.not_found("Merge Request")
    return request
