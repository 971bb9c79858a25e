"""The commands that do something other than edit the issue."""

import re

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.urls import instance_address
from mujina.planning.awards import operations as awards
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import Subject
from mujina.planning.issues import duplicates, durations, moving, time_tracking
from mujina.planning.issues.rules import IssueRow, find_issue
from mujina.planning.quick_actions import naming
from mujina.planning.quick_actions.plan import Commands, Plan, Step
from mujina.planning.references.reading import read
from mujina.planning.todos import operations as todos
from mujina.workspaces.projects.rules import find_project

DEEDS = Commands()

_SPENT_ON = re.compile(r"(.*?)\s+(\d{4}-\d{2}-\d{2})")


@DEEDS.command("todo")
async def todo(_: Plan, __: str) -> Step | None:
    async def mark(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await todos.mark(tx, actor, "issue", issue.id, issue.project_id)

    return Step("Added a todo.", {"todo_event": "add"}, deed=mark)


@DEEDS.command("done")
async def done(_: Plan, __: str) -> Step | None:
    async def finish(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await todos.finish_on(tx, actor.id, "issue", issue.id)

    return Step("Marked the todo as done.", {"todo_event": "done"}, deed=finish)


@DEEDS.command("estimate", triage=True, at_creation=True)
async def estimate(_: Plan, said: str) -> Step | None:
    seconds = durations.read(said)
    if seconds is None or seconds < 0:
        return None
    return Step(
        f"Set the time estimate to {durations.spell(seconds)}.",
        {"time_estimate": seconds},
        deed=lambda tx, actor, issue: time_tracking.estimate(tx, actor, issue, seconds),
    )


@DEEDS.command("remove_estimate", triage=True)
async def remove_estimate(_: Plan, __: str) -> Step | None:
    return Step(
        "Removed the time estimate.",
        {"time_estimate": 0},
        deed=lambda tx, actor, issue: time_tracking.estimate(tx, actor, issue, 0),
    )


@DEEDS.command("spend", triage=True, at_creation=True)
async def spend(plan: Plan, said: str) -> Step | None:
    """A day may follow; it cannot be one to come."""
    dated = _SPENT_ON.fullmatch(said)
    spoken, day = (dated[1], naming.day(dated[2])) if dated else (said, clock.today())
    seconds = durations.read(spoken)
    if seconds is None or day is None or day > clock.today():
        return None
    return Step(
        f"{'Added' if seconds > 0 else 'Subtracted'} {durations.spell(abs(seconds))} of spent time.",
        {"spend_time": {"duration": seconds, "user_id": plan.actor.id, "spent_at": day}},
        deed=lambda tx, actor, issue: time_tracking.spend(tx, actor, issue, seconds, day if dated else None),
    )


@DEEDS.command("remove_time_spent", triage=True)
async def remove_time_spent(plan: Plan, _: str) -> Step | None:
    changes = {"spend_time": {"duration": "reset", "user_id": plan.actor.id}}
    return Step("Removed the spent time.", changes, deed=time_tracking.forget_spent)


@DEEDS.command("award")
async def award(_: Plan, said: str) -> Step | None:
    """Given once, taken back the second time."""
    name = canonical(said)
    if name is None:
        return None

    async def toggle(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        subject = Subject(
            "issue", "Issue", issue.id, issue.author_id, issue.project_id, issue.confidential, ("issue", issue.id)
        )
        await awards.toggle(tx, actor, subject, name)

    return Step(f"Toggled the :{name}: emoji.", {"emoji_award": name}, deed=toggle)


@DEEDS.command("duplicate", triage=True)
async def duplicate(plan: Plan, said: str) -> Step | None:
    found = read(said, instance_address.get().base).issues
    if len(found) != 1:
        return None
    path = naming.project_path(plan, found[0])

    async def mark(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await duplicates.mark(tx, actor, issue, await find_issue(tx, actor, Ref(path), found[0].iid))

    return Step(f"Marked this issue as a duplicate of {said}.", {"duplicate_of": f"{path}#{found[0].iid}"}, deed=mark)


@DEEDS.command("move", triage=True)
async def move(_: Plan, said: str) -> Step | None:
    if not said:
        return None

    async def there(tx: Tx, actor: Actor, issue: IssueRow) -> None:
        await moving.move(tx, actor, issue, await find_project(tx, actor, Ref(said)))

    return Step(f"Moved this issue to {said}.", {"target_project": said}, deed=there)
