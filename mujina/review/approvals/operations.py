"""Approving merge requests, and naming who approves them."""

from typing import Annotated, Any, LiteralString

import msgspec

from mujina.code.pushes.changes import BRANCHES
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.subscriptions.participation import who_may_read
from mujina.planning.todos import operations as todos
from mujina.review.approvals.approvers import COULD_APPROVE, NAMED_TO_APPROVE, REQUIRED
from mujina.review.approvals.params import Approve, SetApprovers
from mujina.review.merge_requests.branches import pairs
from mujina.review.merge_requests.operations import lock, store_columns
from mujina.review.merge_requests.rules import UPDATE_MERGE_REQUEST, MergeRequestRow
from mujina.review.owner_approvals.conditions import HAS_OWNERS
from mujina.review.owner_approvals.progress import OwnerRule, read_rules
from mujina.review.versions.operations import newest_head
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import ProjectRow

OVERRIDING_DISABLED = "Overriding approvals is disabled"


class ApprovableRow(MergeRequestRow):
    """A request as a user sees it who may approve it."""

    editable: Annotated[bool, UPDATE_MERGE_REQUEST]
    required: Annotated[int, REQUIRED]
    owned: Annotated[bool, "EXISTS (SELECT 1 FROM code_owner_rules rule WHERE rule.merge_request_id = mr.id)"]
    """Whether code owners are asked, be it as an option."""


class ApprovalProgress(msgspec.Struct, frozen=True):
    """How the approvals of a request stand."""

    required: int
    left: int
    approved_by: dict[int, str]
    """The users who approved, in this order, and when."""
    named: list[int]
    """The named approvers who have not approved yet."""
    owners: list[OwnerRule]
    """The code owners whose approval is asked for."""


_PEOPLE: LiteralString = "users u JOIN merge_requests mr ON mr.id = :id JOIN projects p ON p.id = mr.project_id"


async def read_progress(tx: Tx, request: ApprovableRow) -> ApprovalProgress:
    """Count the approvals. No more are left than there are users who could still give one."""
    required = request.required
    bound: dict[str, Any] = {"id": request.id, "today": clock.today()}
    rows = await tx.rows(
        tuple[int, str | None],
        f"""SELECT given.user_id, given.created_at FROM approvals given WHERE given.merge_request_id = :id
            UNION ALL SELECT u.id, NULL FROM {_PEOPLE} WHERE {NAMED_TO_APPROVE}""",
        **bound,
    )
    given = sorted((at, user_id) for user_id, at in rows if at is not None)
    approved_by = {user_id: at for at, user_id in given}
    named = sorted(user_id for user_id, at in rows if at is None)
    missing = max(0, required - len(approved_by))
    left = 0
    if missing:
        left = len(
            await tx.values(
                f"SELECT u.id FROM {_PEOPLE} WHERE {COULD_APPROVE} LIMIT :missing", missing=missing, **bound
            )
        )
    return ApprovalProgress(
        required, left, approved_by, named, await read_rules(tx, request.id) if request.owned else []
    )


def may_approve(actor: Actor, request: ApprovableRow, progress: ApprovalProgress) -> bool:
    """Named approvers, and others who may edit the request while the named ones are not enough or nothing is left."""
    if actor.anonymous or request.archived or request.author_id == actor.id or actor.id in progress.approved_by:
        return False
    if actor.id in progress.named or any(rule.left and actor.id in rule.eligible for rule in progress.owners):
        return True
    return request.editable and (progress.left == 0 or progress.left > len(progress.named))


async def approve(tx: Tx, actor: Actor, request: ApprovableRow, change: Approve) -> None:
    """Approve the request as its head is: 401 if the actor may not, 405 if it is not open, 409 for another head.

    403 if the project is archived.
    """
    _check_archived(request)
    state = (await lock(tx, request.id)).state
    before = await read_progress(tx, request)
    if not may_approve(actor, request, before):
        raise errors.unauthorized()
    if state != "opened":
        raise errors.not_now()
    head = await newest_head(tx, request.id)
    if change.sha is not UNSET and change.sha != head:
        raise errors.conflict(f"SHA does not match HEAD of source branch: {head}")
    await insert(tx, "approvals", merge_request_id=request.id, user_id=actor.id, created_at=clock.now())
    await _record(tx, "merge_request.approved", actor, request, before)


async def unapprove(tx: Tx, actor: Actor, request: ApprovableRow) -> None:
    """Take the approval of the actor back; 404 if they have not approved, 403 if the project is archived."""
    _check_archived(request)
    state = (await lock(tx, request.id)).state
    before = await read_progress(tx, request)
    if actor.id not in before.approved_by:
        raise errors.not_found_with("404 Not Found")
    if state != "opened":
        raise errors.not_now()
    await tx.run(
        "DELETE FROM approvals WHERE merge_request_id = :id AND user_id = :user_id", id=request.id, user_id=actor.id
    )
    await _record(tx, "merge_request.unapproved", actor, request, before)


def _check_archived(request: ApprovableRow) -> None:
    if request.archived:
        raise errors.forbidden()


async def _record(tx: Tx, kind: str, actor: Actor, request: ApprovableRow, before: ApprovalProgress) -> None:
    after = await read_progress(tx, request)
    await record(
        tx, kind, actor, subject_id=request.id, project_id=request.project_id,
        changes={"approvals_left": (before.left, after.left)}, project_active_at=request.project_active_at,
    )  # fmt: skip


async def require(tx: Tx, actor: Actor, request: ApprovableRow, approvals: int) -> None:
    """Ask for more approvals than the project does; 422 if the project does not allow that."""
    _check_overridable(request)
    pairs.check_approvals(approvals, request.approvals_required)
    before, now = await lock(tx, request.id), clock.now()
    await store_columns(tx, request.id, {"approvals_before_merge": approvals, "updated_at": now})
    if before.approvals_before_merge != approvals:
        await record(
            tx, "merge_request.updated", actor, subject_id=request.id, project_id=request.project_id,
            changes={
                "approvals_before_merge": (before.approvals_before_merge, approvals),
                "updated_at": (before.updated_at, now),
            },
        )  # fmt: skip


async def name_for_request(tx: Tx, actor: Actor, request: ApprovableRow, change: SetApprovers) -> None:
    """Name the approvers of the request; empty lists return it to those of its project."""
    _check_overridable(request)
    await lock(tx, request.id)
    before, after = await _replace(tx, actor, "merge_request", request.id, change)
    await record(
        tx, "merge_request.approvers_changed", actor, subject_id=request.id, project_id=request.project_id,
        changes={"approver_ids": (before, after)},
    )  # fmt: skip


async def name_for_project(tx: Tx, actor: Actor, project: ProjectRow, change: SetApprovers) -> None:
    """Name the approvers of the requests that name none themselves."""
    await tx.value("SELECT p.id FROM projects p WHERE p.id = :id FOR NO KEY UPDATE", id=project.id)
    before, after = await _replace(tx, actor, "project", project.id, change)
    await record(
        tx, "project.approvers_changed", actor, subject_id=project.id, project_id=project.id,
        changes={"approver_ids": (before, after)},
    )  # fmt: skip


def _check_overridable(request: ApprovableRow) -> None:
    if not request.overridable:
        raise errors.unprocessable(OVERRIDING_DISABLED)


async def _replace(
    tx: Tx, actor: Actor, owner: LiteralString, owner_id: int, change: SetApprovers
) -> tuple[list[int], list[int]]:
    """Replace users and groups. The user ids before and after; unknown users and hidden groups are ignored."""
    before = await read_approver_ids(tx, owner, owner_id)
    await tx.run(f"DELETE FROM {owner}_approvers WHERE {owner}_id = :id", id=owner_id)
    await tx.run(f"DELETE FROM {owner}_approver_groups WHERE {owner}_id = :id", id=owner_id)
    await tx.run(
        f"""INSERT INTO {owner}_approvers ({owner}_id, user_id) SELECT CAST(:id AS bigint), u.id FROM users u
            WHERE u.id IN :ids AND u.deleted_at IS NULL AND u.kind = 'person'""",
        id=owner_id,
        ids=change.approver_ids,
    )
    await tx.run(
        f"""INSERT INTO {owner}_approver_groups ({owner}_id, group_id) SELECT CAST(:id AS bigint), g.id
            FROM groups g JOIN namespaces n ON n.id = g.id
            WHERE g.id IN :ids AND n.deleted_at IS NULL AND {READ_GROUP.standalone}""",
        id=owner_id,
        ids=change.approver_group_ids,
        **actor.bound,
    )
    return before, await read_approver_ids(tx, owner, owner_id)


async def read_approver_ids(tx: Tx, owner: LiteralString, owner_id: int) -> list[int]:
    """The users whom the project or request names."""
    return await tx.values(
        f"SELECT a.user_id FROM {owner}_approvers a WHERE a.{owner}_id = :id ORDER BY a.user_id", id=owner_id
    )


async def note_approval(tx: Tx, event: Event) -> None:
    """A system note; a user who approved has dealt with the request."""
    approved = event.kind == "merge_request.approved"
    body = f"{'approved' if approved else 'unapproved'} this merge request"
    await notes.add_system(tx, event, NoteTarget("merge_request", event.subject_id, event.project_id), [body])
    if approved:
        await todos.finish_on(tx, event.actor_id, "merge_request", event.subject_id)


async def add_approver_todos(tx: Tx, event: Event) -> None:
    """A todo for each user who is newly named, or whom the project names for a new request that needs approvals."""
    if event.kind == "merge_request.created":
        new: list[int] = await tx.values(
            f"""SELECT a.user_id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
                JOIN project_approvers a ON a.project_id = p.id
                WHERE mr.id = :id AND {REQUIRED} > 0 AND a.user_id <> mr.author_id""",
            id=event.subject_id,
        )
    else:
        before, after = event.changes["approver_ids"]
        author_id = await tx.value("SELECT mr.author_id FROM merge_requests mr WHERE mr.id = :id", id=event.subject_id)
        new = [id_ for id_ in after if id_ not in before and id_ != author_id]
    if new:
        readers = await who_may_read(tx, "merge_request", event.subject_id, new)
        await todos.add(tx, event, readers, "approval_required", "merge_request", event.subject_id)


async def reset(tx: Tx, request: ApprovableRow) -> None:
    """Delete the approvals of the request, whatever its project asks for."""
    await lock(tx, request.id)
    await tx.run("DELETE FROM approvals WHERE merge_request_id = :id", id=request.id)


async def _reset(tx: Tx, condition: LiteralString, **bound: Value) -> None:
    """Delete the approvals of these requests, if their projects ask for that."""
    await tx.run(
        f"""DELETE FROM approvals WHERE merge_request_id IN (
            SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE (p.approvals_before_merge > 0 OR {HAS_OWNERS}) AND p.reset_approvals_on_push AND {condition})""",
        **bound,
    )


async def reset_after_push(tx: Tx, event: Event) -> None:
    """New commits on the source branch were not approved; a rebase by the server brings none."""
    ref: str = event.changes["ref"]
    if ref.startswith(BRANCHES):
        await _reset(
            tx,
            """mr.source_project_id = :project_id AND mr.source_branch = :branch
               AND mr.state IN ('opened', 'closed') AND coalesce(mr.rebase_sha, '') <> :new""",
            project_id=event.project_id,
            new=event.changes["sha"][1],
            branch=ref.removeprefix(BRANCHES),
        )


async def reset_after_version(tx: Tx, event: Event) -> None:
    """Resets the approvals while the request is locked: one that came since the push was read is of the former head."""
    before, after = event.changes["sha"]
    if before != after:
        condition = "mr.id = :id AND coalesce(mr.rebase_sha, '') <> :new"
        await _reset(tx, condition, id=event.subject_id, new=after or "")


async def reset_after_edit(tx: Tx, event: Event) -> None:
    """Merging into another branch was not approved."""
    if "target_branch" in event.changes:
        await _reset(tx, "mr.id = :id", id=event.subject_id)
