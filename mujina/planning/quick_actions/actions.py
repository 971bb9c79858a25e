"""The commands that do more than edit columns of the issue."""

import re

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.urls import instance_address
from mujina.planning.awards import operations as awards
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import Awardable
from mujina.planning.issues import duplicates, durations, moves, time_tracking
from mujina.planning.issues.rules import IssueRow, find_issue
from mujina.planning.quick_actions import arguments
from mujina.planning.quick_actions.plan import Commands, Plan, Step
from mujina.planning.references.parsing import parse
from mujina.planning.todos import operations as todos
from mujina.workspaces.projects.rules import find_project

ACTIONS = Commands()

_SPENT_ON = re.compile(r"(.*?)\s+(\d{4}-\d{2}-\d{2})")


@ACTIONS.command("todo")
async def todo(_: Plan, __: str) -> Step | None:
    async def mark(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await todos.mark(tx, actor, "issue", issue.id, issue.project_id)

    return Step("Added a todo.", {"todo_event": "add"}, action=mark)


@ACTIONS.command("done")
async def done(_: Plan, __: str) -> Step | None:
    async def finish(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await todos.finish_on(tx, actor.id, "issue", issue.id)

    return Step("Marked the todo as done.", {"todo_event": "done"}, action=finish)


@ACTIONS.command("estimate", triage=True, at_creation=True)
async def estimate(_: Plan, argument: str) -> Step | None:
    seconds = durations.parse_duration(argument)
    if seconds is None or seconds < 0:
        return None
    return Step(
        f"Set the time estimate to {durations.format_duration(seconds)}.",
        {"time_estimate": seconds},
        action=lambda tx, actor, issue: time_tracking.estimate(tx, actor, issue, seconds),
    )


@ACTIONS.command("remove_estimate", triage=True)
async def remove_estimate(_: Plan, __: str) -> Step | None:
    return Step(
        "Removed the time estimate.",
        {"time_estimate": 0},
        action=lambda tx, actor, issue: time_tracking.estimate(tx, actor, issue, 0),
    )


@ACTIONS.command("spend", triage=True, at_creation=True)
async def spend(plan: Plan, argument: str) -> Step | None:
    """A date may follow the duration; it must not be in the future."""
    dated = _SPENT_ON.fullmatch(argument)
    duration, day = (dated[1], arguments.day(dated[2])) if dated else (argument, clock.today())
    seconds = durations.parse_duration(duration)
    if seconds is None or day is None or day > clock.today():
        return None
    return Step(
        f"{'Added' if seconds > 0 else 'Subtracted'} {durations.format_duration(abs(seconds))} of spent time.",
        {"spend_time": {"duration": seconds, "user_id": plan.actor.id, "spent_at": day}},
        action=lambda tx, actor, issue: time_tracking.spend(tx, actor, issue, seconds, day if dated else None),
    )


@ACTIONS.command("remove_time_spent", triage=True)
async def remove_time_spent(plan: Plan, _: str) -> Step | None:
    changes = {"spend_time": {"duration": "reset", "user_id": plan.actor.id}}
    return Step("Removed the spent time.", changes, action=time_tracking.reset_spent)


@ACTIONS.command("award")
async def award(_: Plan, argument: str) -> Step | None:
    """Toggles the award."""
    name = canonical(argument)
    if name is None:
        return None

    async def toggle(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        awardable = Awardable(
            "issue", "Issue", issue.id, issue.author_id, issue.project_id, issue.confidential, ("issue", issue.id)
        )
        await awards.toggle(tx, actor, awardable, name)

    return Step(f"Toggled the :{name}: emoji.", {"emoji_award": name}, action=toggle)


@ACTIONS.command("duplicate", triage=True)
async def duplicate(plan: Plan, argument: str) -> Step | None:
    found = parse(argument, instance_address.get().base).issues
    if len(found) != 1:
        return None
    path = arguments.project_path(plan, found[0])

    async def mark(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await duplicates.mark(tx, actor, issue, await find_issue(tx, actor, Ref(path), found[0].iid))

    return Step(
        f"Marked this issue as a duplicate of {argument}.", {"duplicate_of": f"{path}#{found[0].iid}"}, action=mark
    )


@ACTIONS.command("move", triage=True)
async def move(_: Plan, argument: str) -> Step | None:
    if not argument:
        return None

    async def move_there(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await moves.move(tx, actor, issue, await find_project(tx, actor, Ref(argument)))

    return Step(f"Moved this issue to {argument}.", {"target_project": argument}, action=move_there)
