"""Quick actions: carries out the commands in a text and removes them from it."""

from collections.abc import Awaitable
from typing import Any, cast

import msgspec
from msgspec import structs

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.noteables import Noteable
from mujina.kernel.owners import Owner
from mujina.kernel.params import Ref
from mujina.planning.issues import operations as issues
from mujina.planning.issues.params import CreateIssue, EditIssue
from mujina.planning.issues.rules import UPDATE_ISSUE, IssueRow, find_issue
from mujina.planning.quick_actions.actions import ACTIONS
from mujina.planning.quick_actions.edits import EDITS
from mujina.planning.quick_actions.folding import fold_commands
from mujina.planning.quick_actions.parsing import Command, parse
from mujina.planning.quick_actions.plan import Outcome, Plan, Recorded, Step
from mujina.workspaces.projects.rules import ProjectRow

COMMANDS = {**EDITS, **ACTIONS}

_AT_CREATION = frozenset({"assignee_ids", "milestone_id", "add_labels", "due_date", "weight"})


class CommandOutcome(msgspec.Struct):
    """What the commands did and which did nothing, for a text that has only commands."""

    commands_changes: dict[str, Any]
    summary: list[str]


async def read_note(tx: Tx, actor: Actor, noteable: Noteable, body: str) -> tuple[str, Plan | None]:
    """The text of a note without commands, and their plan; without the right to update the issue all of it is text."""
    parsed = parse(body, COMMANDS if noteable.kind == "issue" else ())
    if not parsed.commands or noteable.project_id is None or noteable.iid is None:
        return parsed.text, None
    try:
        issue = await find_issue(tx, actor, Ref.of(noteable.project_id), noteable.iid, to=UPDATE_ISSUE)
    except ApiError:
        return body, None
    owner = Owner("project", issue.project_id, issue.namespace_id)
    assignees: list[int] = await tx.values(
        "SELECT a.user_id FROM issue_assignees a WHERE a.issue_id = :id ORDER BY a.user_id", id=issue.id
    )
    plan = Plan(tx, actor, owner, issue.full_path, issue.triager, issue, list(assignees), tuple(assignees))
    await _plan_steps(plan, parsed.commands)
    return parsed.text, plan


async def carry_out(plan: Plan, issue: IssueRow) -> CommandOutcome:
    """Carry out each step, all edits at once; a step that fails is undone."""
    done: list[Outcome] = []
    if fields := plan.edit():
        edited = [step for step in plan.steps if step.edit]
        done += await _attempt(plan.tx, edited, issues.edit(plan.tx, plan.actor, issue, EditIssue(**fields)))
    for step in plan.steps:
        if step.action is not None:
            done += await _attempt(plan.tx, [step], step.action(plan.tx, plan.actor, issue))
    changes = {name: value for outcome in done for name, value in outcome.changes.items()}
    return CommandOutcome(changes, [*(outcome.summary for outcome in done), *plan.rejected])


async def create_issue(
    tx: Tx, actor: Actor, project: ProjectRow, change: CreateIssue, *, user_agent: str, address: str
) -> int:
    """A new issue; commands in its description are carried out and removed from it."""
    parsed = parse(change.description or "", COMMANDS)
    if not parsed.commands:
        return await issues.create(tx, actor, project, change, user_agent=user_agent, address=address)
    owner = Owner("project", project.id, project.namespace_id)
    plan = Plan(tx, actor, owner, project.full_path, project.triager, None, list(change.assignee_ids or []))
    await _plan_steps(plan, parsed.commands)
    fields = {name: value for name, value in plan.edit().items() if name in _AT_CREATION}
    if titles := fields.pop("add_labels", []):
        fields["labels"] = [*(change.labels or []), *titles]
    change = structs.replace(change, description=parsed.text, **fields)
    issue_id = await issues.create(tx, actor, project, change, user_agent=user_agent, address=address)
    if any(step.action for step in plan.steps):
        iid: int = await tx.value("SELECT i.iid FROM issues i WHERE i.id = :id", id=issue_id)
        issue = await find_issue(tx, actor, Ref.of(project.id), iid)
        actions = [step for step in plan.steps if step.action]
        await carry_out(Plan(tx, actor, owner, plan.path, project.triager, issue, [], (), actions), issue)
    return issue_id


async def _plan_steps(plan: Plan, commands: list[Command]) -> None:
    """A step for each valid command that the actor may use here, and a sentence for each other one."""
    for command in fold_commands(commands, COMMANDS):
        spec = COMMANDS[command.name]
        if (spec.triage and not plan.triager) or (plan.issue is None and not spec.at_creation):
            plan.rejected.append(f"You cannot use /{command.name} here.")
            continue
        step = await spec.read(plan, command.argument)
        if isinstance(step, Step):
            plan.steps.append(structs.replace(step, command=command.name))
        else:
            plan.rejected.append(step)


async def _attempt(tx: Tx, steps: list[Step], operation: Awaitable[object]) -> list[Outcome]:
    """What the steps did; an error undoes this operation only."""
    try:
        async with tx.savepoint():
            recorded = await operation
    except ApiError:
        return [Outcome(f"Could not carry out /{step.command}.", {}) for step in steps]
    return [step.outcome(cast("Recorded", recorded)) for step in steps]
