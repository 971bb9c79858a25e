"""The merge panel of a page: what stands between a merge request and its target branch, and what the reader may do."""

from typing import Literal

import msgspec

from mujina.code.pipelines.rules import WRITE_PIPELINES
from mujina.code.protected_branches.rules import may_push_under, protections
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.review.approvals import operations as approvals
from mujina.review.approvals.operations import ApprovalProgress, may_approve
from mujina.review.automatic_merges.operations import may_cancel
from mujina.review.merge_requests.head_pipelines import ACTIVE
from mujina.review.merge_requests.views.page_view import FoundForPage, MergeRequestOnPage
from mujina.review.merging import operations
from mujina.review.rebasing.operations import is_rebasing, may_rebase
from mujina.workspaces.projects.rules import find_project

PanelKind = Literal[
    "merged", "closed", "merging", "no_source", "no_target", "automatic", "checking", "draft", "nothing", "conflict",
    "rebase", "running", "failed", "threads", "approvals", "ready", "not_allowed",
]  # fmt: skip
_BY_STATUS: dict[str, PanelKind] = {
    "checking": "checking", "draft_status": "draft", "broken_status": "nothing", "conflict": "conflict",
    "need_rebase": "rebase", "ci_still_running": "running", "ci_must_pass": "failed",
    "discussions_not_resolved": "threads", "not_approved": "approvals",
}  # fmt: skip


class MergePanel(msgspec.Struct, frozen=True):
    """The first thing that stands in the way, or none."""

    kind: PanelKind
    conflicts: list[str]
    rebasable: bool
    rebasing: bool
    cancelable: bool
    """Whether the reader may cancel the automatic merge."""
    pipeline_active: bool
    runnable: bool
    """Whether the reader may run a pipeline for the head."""
    source_exists: bool
    progress: ApprovalProgress
    approvable: bool
    approved: bool
    """Whether the reader approved."""


class BranchState(msgspec.Struct, frozen=True):
    """The facts that git knows about the branches of a request."""

    source: bool
    conflicts: list[str]


async def read_branches(services: Services, found: FoundForPage) -> BranchState:
    """Whether the source branch exists, and which files are in conflict."""
    row = found.row
    forked = row.source_project_id != row.project_id
    source = await operations.source_tip(services, row) is not None if forked else found.source_exists
    conflicts = list[str]()
    if row.state == "opened" and row.merge_status != "can_be_merged" and source and found.target_exists:
        conflicts = await operations.conflicts(services, row, row.head_sha)
    return BranchState(source, conflicts)


async def read_panel(tx: Tx, actor: Actor, shown: MergeRequestOnPage, branches: BranchState) -> MergePanel:
    """Reads by at most seven statements; most requests need one."""
    row, request = shown.row, shown.request
    kind = _kind(shown, branches)
    progress = await approvals.read_progress(tx, row)
    rebase = kind == "rebase"
    return MergePanel(
        kind=kind,
        conflicts=branches.conflicts,
        rebasable=rebase and await may_rebase(tx, actor, row),
        rebasing=rebase and await is_rebasing(tx, row.id),
        cancelable=may_cancel(actor, row, can_merge=request.user.can_merge),
        pipeline_active=request.head_pipeline is not None and request.head_pipeline.status in ACTIVE,
        runnable=branches.source and await may_run_pipeline(tx, actor, shown),
        source_exists=branches.source,
        progress=progress,
        approvable=request.state == "opened" and may_approve(actor, row, progress),
        approved=request.state == "opened" and actor.id in progress.approved_by,
    )


async def may_run_pipeline(tx: Tx, actor: Actor, shown: MergeRequestOnPage) -> bool:
    """Whether the request is open and the actor may run a pipeline for its branch, in its source project."""
    row = shown.row
    if actor.anonymous or row.state != "opened":
        return False
    if not shown.forked:
        return row.pipelines_writable and may_push_under(shown.protections, row.source_branch)
    try:
        source = await find_project(tx, actor, Ref.of(row.source_project_id or 0), to=WRITE_PIPELINES)
    except (errors.Forbidden, errors.NotFound):
        return False
    return may_push_under(await protections(tx, actor, source.id, source.level), row.source_branch)


def _kind(shown: MergeRequestOnPage, branches: BranchState) -> PanelKind:
    request = shown.request
    match request.state:
        case "merged":
            return "merged"
        case "closed":
            return "closed"
        case "locked":
            return "merging"
        case _:
            pass
    if not branches.source:
        return "no_source"
    if not shown.target_exists:
        return "no_target"
    if request.merge_when_pipeline_succeeds:
        return "automatic"
    if (kind := _BY_STATUS.get(request.detailed_merge_status)) is not None:
        return kind
    return "ready" if request.user.can_merge else "not_allowed"
