"""Approvals as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import UserRef, refs
from mujina.kernel import errors
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page
from mujina.kernel.permissions.actor import Actor
from mujina.review.approvals.approvers import OWN_APPROVERS
from mujina.review.approvals.operations import (
    ApprovableRow,
    ApprovalProgress,
    may_approve,
    read_approver_ids,
    read_progress,
)
from mujina.review.owner_approvals.progress import OwnerRule
from mujina.workspaces.groups import entities as groups
from mujina.workspaces.groups.entities import Group
from mujina.workspaces.groups.rules import READ_GROUP

MAX_GROUPS = 100
"""Further groups are not shown."""


class Approver(msgspec.Struct):
    user: UserRef


class ApproverGroup(msgspec.Struct):
    group: Group


class Approval(msgspec.Struct):
    user: UserRef
    approved_at: str


class ProjectApprovals(msgspec.Struct):
    """How a project asks for approvals."""

    approvers: list[Approver]
    approver_groups: list[ApproverGroup]
    approvals_before_merge: int
    reset_approvals_on_push: bool
    disable_overriding_approvers_per_merge_request: bool


class ApprovalRuleRef(msgspec.Struct):
    id: int
    name: str
    rule_type: str


class MergeRequestApprovals(msgspec.Struct, kw_only=True):
    """How the approvals of a merge request stand."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    merge_status: str
    approved: Computed[bool]
    approvals_required: Computed[int]
    approvals_left: Computed[int]
    approved_by: list[Approval]
    suggested_approvers: list[UserRef]
    approvers: list[Approver]
    approver_groups: list[ApproverGroup]
    user_has_approved: Computed[bool]
    user_can_approve: Computed[bool]
    approval_rules_left: list[ApprovalRuleRef]


class ApprovalRule(msgspec.Struct, kw_only=True):
    id: int
    name: str
    rule_type: str
    eligible_approvers: list[UserRef]
    approvals_required: int
    users: list[UserRef]
    groups: Sequence[Group]
    contains_hidden_groups: bool
    approved_by: list[UserRef]
    source_rule: None
    approved: bool
    section: str | UnsetType = UNSET
    """The section of a rule of code owners, whose name is the pattern."""


class ApprovalState(msgspec.Struct):
    """Approvals as rules: one for approvers, and one for each pattern of code owners whose files are changed."""

    approval_rules_overwritten: bool
    rules: list[ApprovalRule]


class ApprovalView(Row, alias="mr", of=MergeRequestApprovals):
    state: str
    overwritten: Annotated[bool, f"(mr.approvals_before_merge IS NOT NULL OR {OWN_APPROVERS})"]
    own_approvers: Annotated[bool, OWN_APPROVERS]


class Named(msgspec.Struct):
    """The approvers that a project or a request names."""

    users: list[UserRef]
    groups: Sequence[Group]
    hidden_groups: bool


async def of_project(tx: Tx, actor: Actor, project_id: int) -> ProjectApprovals:
    found = await tx.row(
        tuple[int, bool, bool],
        """SELECT p.approvals_before_merge, p.reset_approvals_on_push, p.disable_overriding_approvers_per_merge_request
           FROM projects p WHERE p.id = :id""",
        id=project_id,
    )
    settings = errors.or_not_found(found, "Project")
    named = await _named(tx, actor, "project", project_id)
    return ProjectApprovals(
        [Approver(user) for user in named.users], [ApproverGroup(group) for group in named.groups], *settings
    )


async def of_request(tx: Tx, actor: Actor, request: ApprovableRow) -> MergeRequestApprovals:
    row, progress = await _read(tx, request)
    named = await _named(tx, actor, "merge_request", request.id)
    people = {user.id: user for user in await refs(tx, [*progress.approved_by, *progress.named])}
    missing = [rule for rule in progress.owners if rule.left]
    return to_entity(
        MergeRequestApprovals,
        row,
        approved=progress.left == 0 and not missing,
        approvals_required=progress.required + sum(rule.required for rule in progress.owners),
        approvals_left=progress.left + sum(rule.left for rule in missing),
        approved_by=[Approval(people[id_], at) for id_, at in progress.approved_by.items() if id_ in people],
        suggested_approvers=[people[id_] for id_ in progress.named if id_ in people],
        approvers=[Approver(user) for user in named.users],
        approver_groups=[ApproverGroup(group) for group in named.groups],
        user_has_approved=actor.id in progress.approved_by,
        user_can_approve=row.state == "opened" and may_approve(actor, request, progress),
        approval_rules_left=[ApprovalRuleRef(rule.id, rule.pattern, "code_owner") for rule in missing],
    )


async def state_of_request(tx: Tx, actor: Actor, request: ApprovableRow) -> ApprovalState:
    row, progress = await _read(tx, request)
    named = await _named(
        tx, actor, *(("merge_request", request.id) if row.own_approvers else ("project", request.project_id))
    )
    anyone = not (named.users or named.groups or named.hidden_groups)
    rule = ApprovalRule(
        id=request.id, name="All Members" if anyone else "Approvers",
        rule_type="any_approver" if anyone else "regular",
        eligible_approvers=await refs(tx, progress.named), approvals_required=progress.required, users=named.users,
        groups=named.groups, contains_hidden_groups=named.hidden_groups,
        approved_by=await refs(tx, list(progress.approved_by)), source_rule=None, approved=progress.left == 0,
    )  # fmt: skip
    return ApprovalState(row.overwritten, [rule, *[await _owner_rule(tx, each) for each in progress.owners]])


async def _owner_rule(tx: Tx, rule: OwnerRule) -> ApprovalRule:
    owners = {user.id: user for user in await refs(tx, [*rule.eligible, *rule.approved_by])}
    people = list(owners.values())
    return ApprovalRule(
        id=rule.id, name=rule.pattern, rule_type="code_owner", eligible_approvers=people, users=people,
        approvals_required=rule.required, groups=[], contains_hidden_groups=False,
        approved_by=[owners[id_] for id_ in rule.approved_by if id_ in owners], source_rule=None,
        approved=not rule.left, section=rule.section,
    )  # fmt: skip


async def _read(tx: Tx, request: ApprovableRow) -> tuple[ApprovalView, ApprovalProgress]:
    selection = Selection("merge_requests mr", "mr.id = :id", id=request.id)
    return await find_row(tx, ApprovalView, selection, "Merge Request"), await read_progress(tx, request)


async def _named(tx: Tx, actor: Actor, owner: LiteralString, owner_id: int) -> Named:
    """The named users, and those of the named groups that the actor may read."""
    user_ids = await read_approver_ids(tx, owner, owner_id)
    selection = Selection(
        f"{owner}_approver_groups a JOIN groups g ON g.id = a.group_id JOIN namespaces n ON n.id = g.id",
        f"a.{owner}_id = :id AND n.deleted_at IS NULL",
        id=owner_id,
        **actor.bound,
    )
    total = await selection.total(tx)
    readable = selection.where(READ_GROUP.standalone).uncounted
    first = Page(1, MAX_GROUPS, {})
    shown = (await groups.load_page(tx, readable, ascending("g.id"), first)).items if total else ()
    return Named(await refs(tx, user_ids), shown, total > len(shown))
