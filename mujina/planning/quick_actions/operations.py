"""Texts with commands in them: what they say is said, what they command is done."""

from collections.abc import Awaitable
from typing import Any

import msgspec
from msgspec import structs

from mujina.kernel.access import REPORTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.owners import Owner
from mujina.kernel.params import Ref
from mujina.planning.issues import operations as issues
from mujina.planning.issues.params import CreateIssue, EditIssue
from mujina.planning.issues.rules import UPDATE_ISSUE, IssueRow, find_issue
from mujina.planning.notes.rules import Noteable
from mujina.planning.quick_actions.actions import DEEDS
from mujina.planning.quick_actions.edits import EDITS
from mujina.planning.quick_actions.parsing import Command, take
from mujina.planning.quick_actions.plan import Plan, Step
from mujina.workspaces.projects.rules import ProjectRow

COMMANDS = {**EDITS, **DEEDS}

_AT_CREATION = frozenset({"assignee_ids", "milestone_id", "add_labels", "due_date", "weight"})


class Outcome(msgspec.Struct):
    """What was done, for a text that was nothing but commands."""

    commands_changes: dict[str, Any]
    summary: list[str]


async def read_note(tx: Tx, actor: Actor, noteable: Noteable, body: str) -> tuple[str, Plan | None]:
    """What a note says, and what it commands; from those who may not update the issue nothing is a command."""
    told = take(body, COMMANDS if noteable.kind == "issue" else ())
    if not told.commands or noteable.project_id is None or noteable.iid is None:
        return told.text, None
    try:
        issue = await find_issue(tx, actor, Ref.of(noteable.project_id), noteable.iid, to=UPDATE_ISSUE)
    except ApiError:
        return body, None
    home = Owner("project", issue.project_id, issue.namespace_id)
    assignees: list[int] = await tx.values(
        "SELECT a.user_id FROM issue_assignees a WHERE a.issue_id = :id ORDER BY a.user_id", id=issue.id
    )
    plan = Plan(tx, actor, home, issue.full_path, issue.triager, issue, assignees)
    await _lay_out(plan, told.commands)
    return told.text, plan


async def carry_out(plan: Plan, issue: IssueRow) -> Outcome:
    """Each step by the operation that its route would call; what is refused is left out of the outcome."""
    done: list[Step] = []
    if fields := plan.edit():
        edited = [step for step in plan.steps if step.edit]
        done += await _attempt(plan.tx, edited, issues.edit(plan.tx, plan.actor, issue, EditIssue(**fields)))
    for step in plan.steps:
        if step.deed is not None:
            done += await _attempt(plan.tx, [step], step.deed(plan.tx, plan.actor, issue))
    changes = {name: value for step in done for name, value in step.changes.items()}
    return Outcome(changes, [step.summary for step in done])


async def create_issue(
    tx: Tx, actor: Actor, project: ProjectRow, change: CreateIssue, *, user_agent: str, address: str
) -> int:
    """A new issue; commands in its description are carried out and left out of it."""
    told = take(change.description or "", COMMANDS)
    if not told.commands:
        return await issues.create(tx, actor, project, change, user_agent=user_agent, address=address)
    home = Owner("project", project.id, project.namespace_id)
    triager = actor.admin or project.level >= REPORTER
    plan = Plan(tx, actor, home, project.full_path, triager, None, list(change.assignee_ids or []))
    await _lay_out(plan, told.commands)
    fields = {name: value for name, value in plan.edit().items() if name in _AT_CREATION}
    if titles := fields.pop("add_labels", []):
        fields["labels"] = [*(change.labels or []), *titles]
    change = structs.replace(change, description=told.text, **fields)
    issue_id = await issues.create(tx, actor, project, change, user_agent=user_agent, address=address)
    if any(step.deed for step in plan.steps):
        iid: int = await tx.value("SELECT i.iid FROM issues i WHERE i.id = :id", id=issue_id)
        issue = await find_issue(tx, actor, Ref.of(project.id), iid)
        deeds = [step for step in plan.steps if step.deed]
        await carry_out(Plan(tx, actor, home, plan.path, triager, issue, [], deeds), issue)
    return issue_id


async def _lay_out(plan: Plan, commands: list[Command]) -> None:
    """A step for each command that the actor may give here and that says something that can be done."""
    for command in commands:
        spec = COMMANDS[command.name]
        if (spec.triage and not plan.triager) or (plan.issue is None and not spec.at_creation):
            continue
        step = await spec.read(plan, command.said)
        if step is not None:
            plan.steps.append(step)


async def _attempt(tx: Tx, steps: list[Step], act: Awaitable[object]) -> list[Step]:
    """The steps, if they were taken; a refusal undoes them and nothing else."""
    try:
        async with tx.savepoint():
            await act
    except ApiError:
        return []
    return steps
