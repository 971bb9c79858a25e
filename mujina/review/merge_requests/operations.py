"""Creating, editing, closing and deleting merge requests."""

import asyncio
from typing import Annotated, Any

from mujina.kernel import clock, errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import Row, changed_columns, find_row, insert_numbered, sent_columns, update
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold
from mujina.planning.assignments.operations import Changes, assign, replace_people
from mujina.planning.assignments.params import requested_assignees
from mujina.planning.issues.operations import MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH
from mujina.planning.labels.operations import relabel
from mujina.planning.milestones import operations as milestones
from mujina.review.merge_requests.branches import pairs
from mujina.review.merge_requests.branches.pairs import Pair
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS, REVIEWERS
from mujina.review.merge_requests.drafts import is_draft
from mujina.review.merge_requests.params import CreateMergeRequest, EditMergeRequest, MergeRequestChange
from mujina.review.merge_requests.rules import MergeRequestRow, may_offer
from mujina.review.merge_requests.views.merge_request import DocumentView, MergeRequest
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import Branches, NewVersion, RepositoryRef
from mujina.workspaces.owners.rules import Owner, project_owner

MAX_BRANCH_LENGTH = 255
MERGE_POLLS, MERGE_POLL_SECONDS = 30, 0.1
MERGING = "The merge request is being merged. Please try again."


class LockedMergeRequest(Row, alias="mr", of=MergeRequest, own=True):
    """The columns whose old values edits compare and record, read while the row is locked."""

    title: str
    description: str | None
    state: str
    target_branch: str
    milestone_id: int | None
    approvals_before_merge: int | None
    time_estimate: int
    total_time_spent: int
    merge_when_pipeline_succeeds: bool
    updated_at: str
    allow_collaboration: bool
    merging: Annotated[bool, "(mr.merging_push_id IS NOT NULL)"]


async def create(tx: Tx, actor: Actor, pair: Pair, change: CreateMergeRequest, version: NewVersion) -> int:
    """A new request; its iid. Values that only triage decides are ignored if the actor may not triage in the target."""
    owner = project_owner(pair.target)
    columns = {**_columns(change), **_titled(change.title.strip())}
    branches = {"source_branch": pair.branches.source_branch, "target_branch": pair.branches.target_branch}
    _check(columns | branches)
    columns = await _permitted(tx, owner, columns, triager=pair.triager)
    if not pair.overridable:
        columns.pop("approvals_before_merge", None)
    now = clock.now()
    fixed = {
        "project_id": pair.target.id, "source_project_id": pair.source.id, "author_id": actor.id, "created_at": now,
        "updated_at": now, **branches,
    }  # fmt: skip
    try:
        request_id, iid = await insert_numbered(
            tx, tuple[int, int], "merge_requests", columns | fixed,
            iid="next_iid('project', :project_id, 'merge_request')", returning="id, iid",
        )  # fmt: skip
    except UniqueViolation:
        raise pairs.duplicate(columns["title"]) from None
    await versions.add(tx, request_id, version)
    changes: dict[str, Any] = {"title": (None, columns["title"]), "description": (None, columns.get("description"))}
    if pair.triager:
        changes |= await _triage(tx, owner, request_id, change)
    await record(
        tx, "merge_request.created", actor, subject_id=request_id, project_id=pair.target.id, changes=changes,
        project_active_at=pair.target.last_activity_at,
    )  # fmt: skip
    return iid


def branches_of(request: MergeRequestRow, target_branch: str | None = None) -> Branches:
    """The branches that the request compares, or would compare with another target branch."""
    source = None
    if request.source_project_id is not None:
        source = RepositoryRef(request.source_project_id, request.source_storage or "")
    return Branches(source, request.source_branch, repository_of(request), target_branch or request.target_branch)


def repository_of(request: MergeRequestRow) -> RepositoryRef:
    """The repository of the target, which has every commit of the request."""
    return RepositoryRef(request.project_id, request.storage)


async def count_diverged(services: Services, request: DocumentView) -> int:
    """How many commits of the target branch the head lacks."""
    repo_path = await RepositoryRef(request.project_id, request.storage).repo_path(services)
    head, tip = request.head_sha, versions.tip(repo_path, request.target_branch)
    return 0 if head is None or tip is None else await versions.diverged(repo_path, head, tip)


async def prepare_edit(services: Services, request: MergeRequestRow, change: EditMergeRequest) -> NewVersion | None:
    """The version that the change requires, if it requires one: a request is reopened, or compared anew."""
    if change.interferes and request.merging:
        await _wait_for_merge(services, request.id)
    # Another client may close an open request meanwhile.
    reopens = change.state_event == "reopen" and request.state != "merged"
    target_branch = (change.target_branch or "").strip() or None
    if reopens or (request.state == "opened" and target_branch not in (None, request.target_branch)):
        return await versions.prepare(services, branches_of(request, target_branch))
    return None


async def _wait_for_merge(services: Services, request_id: int) -> None:
    """Merging takes milliseconds: a change that has to wait for it usually gets its turn."""
    for _ in range(MERGE_POLLS):
        async with services.database.reading() as tx:
            merging = await tx.value(
                "SELECT mr.merging_push_id FROM merge_requests mr WHERE mr.id = :id", id=request_id
            )
        if merging is None:
            return
        await asyncio.sleep(MERGE_POLL_SECONDS)


async def edit(
    tx: Tx, actor: Actor, request: MergeRequestRow, change: EditMergeRequest, version: NewVersion | None
) -> dict[str, Any]:
    """Apply the change and record old and new values, which are returned: the state first, then the rest."""
    owner = Owner("project", request.project_id, request.namespace_id)
    columns = _columns(change)
    if change.title is not UNSET:
        columns |= _titled(change.title.strip())
    if change.target_branch is not UNSET:
        columns["target_branch"] = change.target_branch.strip()
    _check(columns)
    columns = await _permitted_edit(tx, actor, owner, request, columns)
    before = await lock(tx, request.id)
    if before.merging and change.interferes:
        raise errors.conflict(MERGING)
    columns |= _state(actor, before, change)
    columns = _still_editable(before, columns, forsaken=request.source_project_id is None)
    await _check_branches(tx, request, before, columns, version)
    changes = changed_columns(before, {name: value for name, value in columns.items() if name not in _DERIVED})
    if changes.keys() & {"target_branch"} or columns.get("state") == "opened":
        columns["merge_status"] = "unchecked"
    now = clock.now()
    await _write(tx, request.id, before.title, {**columns, "updated_at": now})
    is_open = columns.get("state", before.state) == "opened"
    if version is not None and is_open and changes.keys() & {"state", "target_branch"}:
        await versions.add(tx, request.id, version)
    if request.triager:
        changes |= await _triage(tx, owner, request.id, change)
    if changes:
        await record(
            tx, MERGE_REQUESTS.edit_event(changes), actor, subject_id=request.id, project_id=request.project_id,
            changes={**changes, "updated_at": (before.updated_at, now)}, project_active_at=request.project_active_at,
        )  # fmt: skip
    return changes


async def _write(tx: Tx, request_id: int, title: str, columns: dict[str, Any]) -> None:
    """Write the columns; 409 if another request for the same branches was opened in the meantime."""
    try:
        await update(tx, "merge_requests", columns, id=request_id)
    except UniqueViolation:
        raise pairs.duplicate(title) from None


async def _triage(tx: Tx, project: Owner, request_id: int, change: MergeRequestChange) -> Changes:
    """Apply what the request says about labels, assignees and reviewers. Field → (before, after)."""
    changes = await assign(tx, MERGE_REQUESTS, project.id, request_id, requested_assignees(change))
    if change.reviewer_ids is not UNSET:
        user_ids = [id_ for id_ in change.reviewer_ids or [] if id_ > 0]
        before, after = await replace_people(tx, MERGE_REQUESTS, REVIEWERS, project.id, request_id, user_ids)
        if before != after:
            changes["reviewer_ids"] = (before, after)
    edit = change if isinstance(change, EditMergeRequest) else EditMergeRequest(labels=change.labels)
    return changes | await relabel(tx, MERGE_REQUESTS, project, request_id, edit)


async def remove(tx: Tx, actor: Actor, request: MergeRequestRow) -> None:
    """Delete the request; its branches stay, and its iid is never used again. 409 while the server merges it."""
    if (await lock(tx, request.id)).merging:
        raise errors.conflict(MERGING)
    await tx.run("DELETE FROM merge_requests WHERE id = :id", id=request.id)
    await record(
        tx, "merge_request.deleted", actor, subject_id=request.id, project_id=request.project_id,
        changes={"iid": (request.iid, None)},
    )  # fmt: skip


async def _check_branches(
    tx: Tx, request: MergeRequestRow, before: LockedMergeRequest, columns: dict[str, Any], version: NewVersion | None
) -> None:
    """Refuse to open a request without a source, or one for the same branches as another open request."""
    target_branch = columns.get("target_branch", before.target_branch)
    retargeted, reopened = target_branch != before.target_branch, columns.get("state") == "opened"
    source_id = request.source_project_id
    if reopened and (source_id is None or not await pairs.related(tx, source_id, request.project_id)):
        raise errors.unprocessable([pairs.NOT_RELATED])
    if reopened and (version is None or version.head_sha is None):
        raise errors.unprocessable([f'Source branch "{request.source_branch}" does not exist'])
    if retargeted and source_id == request.project_id and target_branch == request.source_branch:
        raise errors.unprocessable([pairs.SAME_BRANCH])
    if source_id is not None and columns.get("state", before.state) == "opened" and (retargeted or reopened):
        await pairs.refuse_duplicate(
            tx, source_id, request.source_branch, request.project_id, target_branch, request.id
        )


def _still_editable(before: LockedMergeRequest, columns: dict[str, Any], *, forsaken: bool) -> dict[str, Any]:
    """Without the target of a merged request, and without what is about branches if a closed one lost its source."""
    fixed = {"target_branch"} if before.state == "merged" else set[str]()
    if before.state == "closed" and forsaken:
        fixed = {"target_branch", "force_remove_source_branch"}
    return {name: value for name, value in columns.items() if name not in fixed}


def _state(actor: Actor, before: LockedMergeRequest, change: EditMergeRequest) -> dict[str, Any]:
    """Closing a request that is not open and reopening one that is not closed change nothing."""
    if change.state_event == "close" and before.state == "opened":
        return {"state": "closed", "closed_at": clock.now(), "closed_by_id": actor.id}
    if change.state_event == "reopen" and before.state == "closed":
        return {"state": "opened", "closed_at": None, "closed_by_id": None}
    return {}


def _titled(title: str) -> dict[str, Any]:
    return {"title": title, "title_folded": fold(title), "draft": is_draft(title)}


RENAMED = {"remove_source_branch": "force_remove_source_branch", "allow_maintainer_to_push": "allow_collaboration"}
NOT_COLUMNS = {
    "title", "state_event", "source_branch", "target_branch", "target_project_id", "assignee_id", "assignee_ids",
    "reviewer_ids", "labels", "add_labels", "remove_labels", "merge_after",
}  # fmt: skip
"""The parameters that no column is set to as they are."""
_DERIVED = {"draft", "closed_at"}
"""The columns that follow from others: events tell nothing of them."""
_TRIAGED = {"milestone_id", "discussion_locked"}


def _columns(change: MergeRequestChange) -> dict[str, Any]:
    """The columns, besides title and branches, that a request sets."""
    params = {RENAMED.get(name, name): value for name, value in change.sent_fields().items()}
    columns = sent_columns(LockedMergeRequest, params, exclude=NOT_COLUMNS)
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
    return await milestones.with_usable(tx, owner, columns)


async def _permitted_edit(
    tx: Tx, actor: Actor, owner: Owner, request: MergeRequestRow, columns: dict[str, Any]
) -> dict[str, Any]:
    """The columns that an edit changes: only users who may push to the source let others push to its branch.

    The number of approvals is ignored if the project does not let requests override its own.
    """
    if request.overridable:
        pairs.check_approvals(columns.get("approvals_before_merge"), request.approvals_required)
    else:
        columns.pop("approvals_before_merge", None)
    columns = await _permitted(tx, owner, columns, triager=request.triager)
    if "allow_collaboration" in columns and not await may_offer(tx, actor, request.source_project_id):
        del columns["allow_collaboration"]
    return columns


def _check(columns: dict[str, Any]) -> None:
    problems = Problems()
    for name, max_length in (
        ("title", MAX_TITLE_LENGTH),
        ("source_branch", MAX_BRANCH_LENGTH),
        ("target_branch", MAX_BRANCH_LENGTH),
    ):
        if name in columns:
            problems.require(name, columns[name], max_length)
    problems.limit("description", columns.get("description"), MAX_DESCRIPTION_LENGTH)
    problems.refuse()


async def mark_as_draft(tx: Tx, actor: Actor, request_id: int, project_id: int, commit: str) -> None:
    """Put `WIP:` before the title, because this commit is unfinished; nothing if the title would be too long."""
    before = await lock(tx, request_id)
    title = f"WIP: {before.title}"
    if is_draft(before.title) or len(title) > MAX_TITLE_LENGTH:
        return
    now = clock.now()
    await update(tx, "merge_requests", {**_titled(title), "updated_at": now}, id=request_id)
    changes = {"title": (before.title, title), "draft_commit": (None, commit), "updated_at": (before.updated_at, now)}
    await record(tx, "merge_request.updated", actor, subject_id=request_id, project_id=project_id, changes=changes)


async def store_columns(tx: Tx, request_id: int, columns: dict[str, Value]) -> None:
    """Store what other slices of this chapter decide about the request, which they have locked."""
    await update(tx, "merge_requests", columns, id=request_id)


async def lock(tx: Tx, request_id: int) -> LockedMergeRequest:
    """The current values of the request, locked until the transaction ends; 404 if it was deleted in the meantime."""
    selection = Selection("merge_requests mr", "mr.id = :id", id=request_id)
    return await find_row(tx, LockedMergeRequest, selection, "Merge Request", lock="FOR UPDATE")
