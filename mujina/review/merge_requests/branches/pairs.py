"""The two branches of a new merge request: whether the actor may ask to merge one into the other."""

from typing import Any

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.review.merge_requests.params import CreateMergeRequest
from mujina.review.merge_requests.rules import CREATE_MERGE_REQUEST, RECEIVE_MERGE_REQUEST, TRIAGE_MERGE_REQUEST
from mujina.review.versions.operations import Branches, RepositoryRef
from mujina.workspaces.projects.origins.networks import related
from mujina.workspaces.projects.rules import ProjectRow, find_project

SAME_BRANCH = "You can not use same project/branch for source and target"
NOT_RELATED = "Source project is not a fork of the target project"
DISABLED = "Target project has disabled merge requests"
APPROVALS_DISABLED = "Approvals disabled for target project"
TOO_FEW_APPROVALS = "Number of approvals must be greater than those on target project"


class Pair(msgspec.Struct, frozen=True):
    """The projects of a request, and what it compares."""

    source: ProjectRow
    target: ProjectRow
    branches: Branches
    triager: bool
    """Whether the actor may triage in the target."""
    overridable: bool
    """Whether the request may ask for more approvals than the target."""


async def find_pair(tx: Tx, actor: Actor, ref: Ref, change: CreateMergeRequest) -> Pair:
    """The source and the target; the first reason for which there can be no request is the error."""
    source = await find_project(tx, actor, ref, to=CREATE_MERGE_REQUEST)
    target_id = change.target_project_id or source.id
    target = await find_project(tx, actor, Ref.of(target_id), to=RECEIVE_MERGE_REQUEST)
    source_branch, target_branch = change.source_branch.strip(), change.target_branch.strip()
    if source.id == target.id and source_branch == target_branch:
        raise errors.unprocessable([SAME_BRANCH])
    if not await related(tx, source.id, target.id):
        raise errors.unprocessable([NOT_RELATED])
    await refuse_duplicate(tx, source.id, source_branch, target.id, target_branch)
    enabled, approvals, overridable, triager = await tx.row(
        tuple[bool, int, bool, bool],
        f"""SELECT p.merge_requests_enabled, p.approvals_before_merge,
                NOT p.disable_overriding_approvers_per_merge_request, {TRIAGE_MERGE_REQUEST.standalone}
            FROM projects p WHERE p.id = :id""",
        id=target.id,
        **actor.bound,
    ) or (False, 0, False, False)
    if not enabled:
        raise errors.unprocessable([DISABLED])
    if overridable:
        check_approvals(change.approvals_before_merge, approvals)
    here, there = (RepositoryRef(project.id, project.repository_storage) for project in (source, target))
    return Pair(source, target, Branches(here, source_branch, there, target_branch), triager, overridable)


def retargeted(branches: Branches, change: CreateMergeRequest) -> Branches:
    """The branches with the target branch that the request names now."""
    return msgspec.structs.replace(branches, target_branch=change.target_branch.strip())


def check_approvals(requested: Any, required: int) -> None:
    """A request may ask for more approvals than its project, if the project asks for any."""
    if isinstance(requested, int) and requested <= required:
        complaint = TOO_FEW_APPROVALS if required else APPROVALS_DISABLED
        raise errors.invalid({"validate_approvals_before_merge": [complaint]})
    if isinstance(requested, int) and not required:
        raise errors.invalid({"validate_approvals_before_merge": [APPROVALS_DISABLED]})


async def refuse_duplicate(
    tx: Tx, source_id: int, source_branch: str, target_id: int, target_branch: str, other_than: int = 0
) -> None:
    """409 if a request for the same branches is open."""
    title = await tx.value(
        """
        SELECT mr.title FROM merge_requests mr WHERE mr.source_project_id = :source_id AND mr.project_id = :target_id
        AND mr.source_branch = :source_branch AND mr.target_branch = :target_branch AND mr.state = 'opened'
        AND mr.id <> :other_than
        """,
        source_id=source_id, source_branch=source_branch, target_id=target_id, target_branch=target_branch,
        other_than=other_than,
    )  # fmt: skip
    if title is not None:
        raise duplicate(title)


def duplicate(title: str) -> errors.Conflict:
    quoted = msgspec.json.encode([title]).decode()
    return errors.Conflict({"message": [f"Cannot Create: This merge request already exists: {quoted}"]})
