"""The commands that do more than edit columns of an issue or merge request."""

import re
from typing import Any

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import instance_address
from mujina.planning.awards import operations as awards
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import Awardable
from mujina.planning.issues.moving import duplicates
from mujina.planning.issues.moving import operations as moves
from mujina.planning.issues.rules import IssueRow, find_issue
from mujina.planning.quick_actions import arguments
from mujina.planning.quick_actions.plan import Commands, Plan, Step
from mujina.planning.references.parsing import parse
from mujina.planning.time_tracking import durations
from mujina.planning.time_tracking import operations as time_tracking
from mujina.planning.todos import operations as todos
from mujina.workspaces.projects.rules import find_project

ACTIONS = Commands()

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@ACTIONS.command("todo")
async def todo(plan: Plan, _: str) -> Step | str:
    async def mark(tx: Tx, actor: Actor, target: Any) -> None:
        await todos.mark(tx, actor, plan.kind.noteable(target))

    return Step("Added a todo.", {"todo_event": "add"}, action=mark)


@ACTIONS.command("done", slot="todo")
async def done(plan: Plan, _: str) -> Step | str:
    async def finish(tx: Tx, actor: Actor, target: Any) -> None:
        noteable = plan.kind.noteable(target)
        await todos.finish_on(tx, actor.id, noteable.kind, noteable.id)

    return Step("Marked the todo as done.", {"todo_event": "done"}, action=finish)


@ACTIONS.command("estimate", triage=True, at_creation=True)
async def estimate(plan: Plan, argument: str) -> Step | str:
    seconds = durations.parse_duration(argument)
    if seconds is None or seconds < 0:
        return f"Could not read the duration {arguments.quoted(argument)}."
    return Step(
        f"Set the time estimate to {durations.format_duration(seconds)}.",
        {"time_estimate": seconds},
        action=lambda tx, actor, target: time_tracking.estimate(tx, actor, plan.kind.item, target, seconds),
    )


@ACTIONS.command("remove_estimate", triage=True, slot="estimate")
async def remove_estimate(plan: Plan, _: str) -> Step | str:
    return Step(
        "Removed the time estimate.",
        {"time_estimate": 0},
        action=lambda tx, actor, target: time_tracking.estimate(tx, actor, plan.kind.item, target, 0),
    )


@ACTIONS.command("spend", triage=True, at_creation=True)
async def spend(plan: Plan, argument: str) -> Step | str:
    """A date may follow the duration; it must not be in the future."""
    duration, _, last = argument.rpartition(" ")
    dated = bool(duration and _DAY.fullmatch(last))
    day = arguments.day(last) if dated else clock.today()
    seconds = durations.parse_duration(duration if dated else argument)
    if seconds is None:
        return f"Could not read the duration {arguments.quoted(argument)}."
    if day is None or day > clock.today():
        return f"Time cannot be spent on {last}."
    return Step(
        f"{'Added' if seconds > 0 else 'Subtracted'} {durations.format_duration(abs(seconds))} of spent time.",
        {"spend_time": {"duration": seconds, "user_id": plan.actor.id, "spent_at": day}},
        action=lambda tx, actor, target: time_tracking.spend(
            tx, actor, plan.kind.item, target, seconds, day if dated else None
        ),
    )


@ACTIONS.command("remove_time_spent", triage=True, slot="spend")
async def remove_time_spent(plan: Plan, _: str) -> Step | str:
    changes = {"spend_time": {"duration": "reset", "user_id": plan.actor.id}}
    return Step(
        "Removed the spent time.",
        changes,
        action=lambda tx, actor, target: time_tracking.reset_spent(tx, actor, plan.kind.item, target),
    )


@ACTIONS.command("award")
async def award(plan: Plan, argument: str) -> Step | str:
    """Toggles the award."""
    name = canonical(argument)
    if name is None:
        return f"Found no emoji {arguments.quoted(argument)}."

    async def toggle(tx: Tx, actor: Actor, target: Any) -> None:
        await awards.toggle(tx, actor, Awardable.of(plan.kind.noteable(target)), name)

    return Step(f"Toggled the :{name}: emoji.", {"emoji_award": name}, action=toggle)


@ACTIONS.command("duplicate", triage=True)
async def duplicate(plan: Plan, argument: str) -> Step | str:
    found = parse(argument, instance_address.get().base).issues
    if len(found) != 1:
        return f"Found no issue {arguments.quoted(argument)}."
    path = arguments.project_path(plan, found[0])

    async def mark(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await duplicates.mark(tx, actor, issue, await find_issue(tx, actor, Ref(path), found[0].iid))

    return Step(
        f"Marked this issue as a duplicate of {argument}.", {"duplicate_of": f"{path}#{found[0].iid}"}, action=mark
    )


@ACTIONS.command("move", triage=True)
async def move(_: Plan, argument: str) -> Step | str:
    if not argument:
        return "Found no project to move this issue to."

    async def move_to_project(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await moves.move(tx, actor, issue, await find_project(tx, actor, Ref(argument)))

    return Step(f"Moved this issue to {argument}.", {"target_project": argument}, action=move_to_project)
