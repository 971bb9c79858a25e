"""Quick actions on merge requests: those that they share with issues, and `/merge`, `/approve`, `/wip`, `/target_branch`."""

from typing import Any

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.quick_actions import arguments
from mujina.planning.quick_actions.actions import ACTIONS
from mujina.planning.quick_actions.edits import EDITS
from mujina.planning.quick_actions.parsing import Command
from mujina.planning.quick_actions.plan import CommandKind, Commands, Plan, Recorded, Step
from mujina.review.approvals import operations as approvals
from mujina.review.approvals.operations import ApprovableRow
from mujina.review.approvals.params import Approve
from mujina.review.merge_requests import operations as merge_requests
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS
from mujina.review.merge_requests.drafts import is_draft, without_draft
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.params import EditMergeRequest
from mujina.review.merge_requests.rules import (
    UPDATE_MERGE_REQUEST,
    MergeRequestRow,
    find_merge_request,
    find_merge_request_as,
    may_merge,
)
from mujina.review.merging import operations as merging
from mujina.review.merging.params import MergeMergeRequest
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import NewVersion

COMMANDS = Commands()
_OF_ISSUES_ONLY = {"due", "remove_due_date", "weight", "clear_weight", "board_move", "duplicate", "move"}


class PreparedCommands(msgspec.Struct, frozen=True):
    """The facts about the repository that commands need."""

    version: NewVersion | None
    """The version that reopening, or another target branch, requires."""
    target_branch: str | None
    """The branch that a command names, if it exists."""


@COMMANDS.command("merge", slot="state")
async def merge(plan: Plan, _: str) -> Step | str:
    """Merge the head as it is, or once its pipeline succeeds."""
    request: MergeRequestRow = plan.target
    if request.state != "opened" or not await may_merge(plan.tx, plan.actor, request):
        return "You cannot use /merge here."

    async def carry_out(services: Services, actor: Actor) -> None:
        # Another command of the same text may have changed the target branch.
        async with services.database.reading() as tx:
            current = await find_merge_request(tx, actor, Ref.of(request.project_id), request.iid, hide=True)
            if not await may_merge(tx, actor, current):
                raise errors.unauthorized()
        await merging.merge(services, actor, current, MergeMergeRequest(merge_when_pipeline_succeeds=True))

    return Step("Merged this merge request, or will when its pipeline succeeds.", {"merge": True}, deferred=carry_out)


@COMMANDS.command("approve")
async def approve(_: Plan, __: str) -> Step | str:
    async def carry_out(tx: Tx, actor: Actor, target: MergeRequestRow) -> None:
        ref = Ref.of(target.project_id)
        request = await find_merge_request_as(ApprovableRow, tx, actor, ref, target.iid, hide=True)
        await approvals.approve(tx, actor, request, Approve())

    return Step("Approved this merge request.", {"approve": True}, action=carry_out)


@COMMANDS.command("wip", "draft", slot="title")
async def wip(plan: Plan, _: str) -> Step | str:
    """Toggles the prefix of the title."""
    title: str = await plan.tx.value("SELECT mr.title FROM merge_requests mr WHERE mr.id = :id", id=plan.target.id)
    new = without_draft(title) if is_draft(title) else f"WIP: {title}"
    summary = f"{'Unmarked' if is_draft(title) else 'Marked'} this merge request as a work in progress."
    return Step(summary, {"wip_event": "unwip" if is_draft(title) else "wip"}, {"title": new})


@COMMANDS.command("target_branch", at_creation=True)
async def target_branch(plan: Plan, argument: str) -> Step | str:
    prepared: PreparedCommands | None = plan.prepared
    if prepared is None or prepared.target_branch != argument:
        return f"Found no branch {arguments.quoted(argument)}."
    return Step(f"Set the target branch to {argument}.", {"target_branch": argument}, {"target_branch": argument})


async def prepare(services: Services, actor: Actor, ref: Ref, iid: int, commands: list[Command]) -> Any:
    """Read the branches if a command is about them."""
    state = next((command.name for command in reversed(commands) if command.name in ("close", "reopen")), None)
    named = named_branch(commands)
    if state != "reopen" and named is None:
        return None
    try:
        async with services.database.reading() as tx:
            request = await find_merge_request(tx, actor, ref, iid, to=UPDATE_MERGE_REQUEST, hide=True)
    except errors.ApiError:
        return None
    if named is not None and versions.tip(await repository_of(request).repo_path(services), named) is None:
        named = None
    change = EditMergeRequest(
        state_event="reopen" if state == "reopen" else UNSET, target_branch=UNSET if named is None else named
    )
    return PreparedCommands(await merge_requests.prepare_edit(services, request, change), named)


def named_branch(commands: list[Command]) -> str | None:
    return next((command.argument for command in reversed(commands) if command.name == "target_branch"), None)


async def find(tx: Tx, actor: Actor, noteable: Noteable) -> MergeRequestRow:
    return await find_merge_request(
        tx, actor, Ref.of(noteable.project_id or 0), noteable.iid or 0, to=UPDATE_MERGE_REQUEST, hide=True
    )


async def edit(tx: Tx, actor: Actor, request: MergeRequestRow, fields: dict[str, Any], prepared: Any) -> Recorded:
    version = prepared.version if isinstance(prepared, PreparedCommands) else None
    return await merge_requests.edit(tx, actor, request, EditMergeRequest(**fields), version)


MERGE_REQUEST_COMMANDS = CommandKind(
    item=MERGE_REQUESTS,
    commands={
        **{name: spec for name, spec in {**EDITS, **ACTIONS}.items() if name not in _OF_ISSUES_ONLY},
        **COMMANDS,
    },
    find=find,
    edit=edit,
    noteable=noteable_of,
    prepare=prepare,
)
