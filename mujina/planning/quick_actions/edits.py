"""The commands that change what the issue says of itself, and who hears of it."""

from mujina.planning.issues import operations as issues
from mujina.planning.quick_actions import arguments
from mujina.planning.quick_actions.plan import Commands, Plan, Step

EDITS = Commands()


@EDITS.command("close")
async def close(plan: Plan, _: str) -> Step | None:
    if plan.issue is None or plan.issue.state == "closed":
        return None
    return Step("Closed this issue.", {"state_event": "close"}, {"state_event": "close"})


@EDITS.command("reopen")
async def reopen(plan: Plan, _: str) -> Step | None:
    if plan.issue is None or plan.issue.state == "opened":
        return None
    return Step("Reopened this issue.", {"state_event": "reopen"}, {"state_event": "reopen"})


@EDITS.command("title")
async def title(_: Plan, said: str) -> Step | None:
    return Step(f'Changed the title to "{said}".', {"title": said}, {"title": said}) if said else None


@EDITS.command("assign", triage=True, at_creation=True)
async def assign(plan: Plan, said: str) -> Step | None:
    people = await arguments.people(plan, said)
    if not people:
        return None
    plan.assignee_ids.extend(id_ for id_ in people.values() if id_ not in plan.assignee_ids)
    ids = list(plan.assignee_ids)
    return Step(f"Assigned {arguments.spoken('@', people)}.", {"assignee_ids": ids}, {"assignee_ids": ids})


@EDITS.command("unassign", "remove_assignee", triage=True)
async def unassign(plan: Plan, said: str) -> Step | None:
    """Nobody named: everybody."""
    people = await arguments.people(plan, said) if said else {}
    if said and not people:
        return None
    plan.assignee_ids[:] = [id_ for id_ in plan.assignee_ids if said and id_ not in people.values()]
    ids = list(plan.assignee_ids)
    whom = arguments.spoken("@", people) if people else "everybody"
    return Step(f"Removed {whom} from the assignees.", {"assignee_ids": ids}, {"assignee_ids": ids})


@EDITS.command("milestone", triage=True, at_creation=True)
async def milestone(plan: Plan, said: str) -> Step | None:
    milestone_id = await arguments.milestone(plan, said)
    if milestone_id is None:
        return None
    return Step(f"Set the milestone to {said}.", {"milestone_id": milestone_id}, {"milestone_id": milestone_id})


@EDITS.command("remove_milestone", triage=True)
async def remove_milestone(_: Plan, __: str) -> Step | None:
    return Step("Removed the milestone.", {"milestone_id": None}, {"milestone_id": None})


@EDITS.command("label", triage=True, at_creation=True)
async def label(plan: Plan, said: str) -> Step | None:
    labels = await arguments.labels(plan, said)
    if not labels:
        return None
    told = f"Added {arguments.spoken('~', labels)}."
    return Step(told, {"add_label_ids": list(labels.values())}, {"add_labels": list(labels)})


@EDITS.command("unlabel", "remove_label", triage=True)
async def unlabel(plan: Plan, said: str) -> Step | None:
    """None named: all."""
    if not said:
        return Step("Removed all labels.", {"label_ids": []}, {"labels": []})
    labels = await arguments.labels(plan, said)
    if not labels:
        return None
    told = f"Removed {arguments.spoken('~', labels)}."
    return Step(told, {"remove_label_ids": list(labels.values())}, {"remove_labels": list(labels)})


@EDITS.command("relabel", triage=True)
async def relabel(plan: Plan, said: str) -> Step | None:
    labels = await arguments.labels(plan, said)
    if not labels:
        return None
    told = f"Replaced all labels with {arguments.spoken('~', labels)}."
    return Step(told, {"label_ids": list(labels.values())}, {"labels": list(labels)})


@EDITS.command("board_move", triage=True)
async def board_move(plan: Plan, said: str) -> Step | None:
    """From one list of the board to another; a project with several boards leaves it open which."""
    labels, columns = await arguments.labels(plan, said), await arguments.columns(plan)
    if len(labels) != 1 or not labels.keys() <= columns.keys():
        return None
    others = {title: id_ for title, id_ in columns.items() if title not in labels}
    changes = {"add_label_ids": list(labels.values()), "remove_label_ids": list(others.values())}
    edit = {"add_labels": list(labels), "remove_labels": list(others)}
    return Step(f"Moved the issue to {arguments.spoken('~', labels)} on the board.", changes, edit)


@EDITS.command("due", triage=True, at_creation=True)
async def due(_: Plan, said: str) -> Step | None:
    day = arguments.day(said)
    return Step(f"Set the due date to {day}.", {"due_date": day}, {"due_date": day}) if day else None


@EDITS.command("remove_due_date", triage=True)
async def remove_due_date(_: Plan, __: str) -> Step | None:
    return Step("Removed the due date.", {"due_date": None}, {"due_date": None})


@EDITS.command("weight", triage=True, at_creation=True)
async def weight(_: Plan, said: str) -> Step | None:
    if said not in tuple("0123456789"):
        return None
    return Step(f"Set the weight to {said}.", {"weight": int(said)}, {"weight": int(said)})


@EDITS.command("clear_weight", triage=True)
async def clear_weight(_: Plan, __: str) -> Step | None:
    return Step("Cleared the weight.", {"weight": None}, {"weight": None})


@EDITS.command("subscribe")
async def subscribe(_: Plan, __: str) -> Step | None:
    return Step(
        "Subscribed to this issue.",
        {"subscription_event": "subscribe"},
        deed=lambda tx, actor, issue: issues.subscribe(tx, actor, issue, subscribed=True),
    )


@EDITS.command("unsubscribe")
async def unsubscribe(_: Plan, __: str) -> Step | None:
    return Step(
        "Unsubscribed from this issue.",
        {"subscription_event": "unsubscribe"},
        deed=lambda tx, actor, issue: issues.subscribe(tx, actor, issue, subscribed=False),
    )
