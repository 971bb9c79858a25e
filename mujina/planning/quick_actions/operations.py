"""Quick actions: carries out the commands in a text and removes them from it."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, cast

import msgspec
from msgspec import structs

from mujina.instance.editions.rules import counted_assignees
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.assignments.operations import assignees_of
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.quick_actions.folding import fold_commands
from mujina.planning.quick_actions.parsing import Command, parse
from mujina.planning.quick_actions.plan import Outcome, Plan, Recorded, Step, command_kind
from mujina.planning.work_items.kinds import WorkItem
from mujina.workspaces.owners.rules import Owner

_AT_CREATION = frozenset(
    {"assignee_ids", "milestone_id", "add_labels", "due_date", "weight", "confidential", "target_branch"}
)


class CommandOutcome(msgspec.Struct):
    """The report of commands that took effect and of those that did not, for a text that has only commands."""

    commands_changes: dict[str, Any]
    summary: list[str]


async def prepare(services: Services, actor: Actor, name: str, ref: Ref, number: int, body: str) -> Any:
    """The facts that the commands of the text need and a transaction cannot read; None if they need nothing."""
    kind = command_kind(services.product, name)
    if kind is None or kind.prepare is None:
        return None
    commands = parse(body, kind.commands).commands
    return await kind.prepare(services, actor, ref, number, commands) if commands else None


async def read_note(tx: Tx, actor: Actor, noteable: Noteable, body: str, prepared: Any) -> tuple[str, Plan | None]:
    """The text of a note without commands, and their plan; without the right to edit the target all of it is text."""
    kind = command_kind(tx.product, noteable.kind)
    parsed = parse(body, () if kind is None else kind.commands)
    if kind is None or not parsed.commands:
        return parsed.text, None
    try:
        target = await kind.find(tx, actor, noteable)
    except ApiError:
        return body, None
    owner = Owner("project", target.project_id, target.namespace_id)
    assignees = counted_assignees(await assignees_of(tx, kind.item, target.id))
    plan = Plan(
        kind=kind, tx=tx, actor=actor, owner=owner, path=target.full_path, triager=target.triager, target=target,
        assignee_ids=list(assignees), assignees_before=tuple(assignees), prepared=prepared,
    )  # fmt: skip
    await plan_steps(plan, parsed.commands)
    return parsed.text, plan


async def carry_out(plan: Plan, target: WorkItem) -> CommandOutcome:
    """Carry out each step, all edits at once; a step that fails is undone. `finish` does what is left."""
    done: list[Outcome] = []
    if fields := plan.edit():
        edited = [step for step in plan.steps if step.edit]
        done += await _attempt(plan.tx, edited, plan.kind.edit(plan.tx, plan.actor, target, fields, plan.prepared))
    for step in plan.steps:
        if step.action is not None:
            done += await _attempt(plan.tx, [step], step.action(plan.tx, plan.actor, target))
    changes = {name: value for outcome in done for name, value in outcome.changes.items()}
    return CommandOutcome(changes, [*(outcome.summary for outcome in done), *plan.rejected])


async def finish(services: Services, plan: Plan, outcome: CommandOutcome) -> None:
    """Carry out the steps that follow the transaction, and add to the outcome what they did."""
    for step in plan.steps:
        if step.deferred is not None:
            try:
                await step.deferred(services, plan.actor)
            except ApiError:
                outcome.summary.append(f"Could not carry out /{step.command}.")
            else:
                outcome.summary.append(step.summary)
                outcome.commands_changes |= step.changes


def fields_at_creation(plan: Plan, labels: list[str]) -> dict[str, Any]:
    """The fields of something new that its commands set."""
    fields = {name: value for name, value in plan.edit().items() if name in _AT_CREATION}
    if titles := fields.pop("add_labels", []):
        fields["labels"] = [*labels, *titles]
    return fields


async def carry_out_actions(tx: Tx, plan: Plan, target: WorkItem) -> None:
    """Carries out the commands that do more than set fields of something that has just been created."""
    actions = [step for step in plan.steps if step.action]
    await carry_out(replace(plan, tx=tx, target=target, steps=actions), target)


async def plan_steps(plan: Plan, commands: list[Command]) -> None:
    """A step for each valid command that the actor may use here, and a sentence for each other one."""
    specs = plan.kind.commands
    for command in fold_commands(commands, specs):
        spec = specs[command.name]
        if (spec.triage and not plan.triager) or (plan.target is None and not spec.at_creation):
            plan.rejected.append(f"You cannot use /{command.name} here.")
            continue
        step = await spec.read(plan, command.argument)
        if isinstance(step, Step):
            plan.steps.append(structs.replace(step, command=command.name))
        else:
            plan.rejected.append(step)


async def _attempt(tx: Tx, steps: list[Step], operation: Awaitable[object]) -> list[Outcome]:
    """Runs the steps and returns their reports; an error undoes this operation only."""
    try:
        async with tx.savepoint():
            recorded = await operation
    except ApiError:
        return [Outcome(f"Could not carry out /{step.command}.", {}) for step in steps]
    return [step.outcome(cast("Recorded", recorded)) for step in steps]
