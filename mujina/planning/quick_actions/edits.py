"""The commands that edit the issue or the subscription to it."""

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
async def title(_: Plan, argument: str) -> Step | None:
    return Step(f'Changed the title to "{argument}".', {"title": argument}, {"title": argument}) if argument else None


@EDITS.command("assign", triage=True, at_creation=True)
async def assign(plan: Plan, argument: str) -> Step | None:
    users = await arguments.users(plan, argument)
    if not users:
        return None
    plan.assignee_ids.extend(id_ for id_ in users.values() if id_ not in plan.assignee_ids)
    ids = list(plan.assignee_ids)
    return Step(f"Assigned {arguments.format_names('@', users)}.", {"assignee_ids": ids}, {"assignee_ids": ids})


@EDITS.command("unassign", "remove_assignee", triage=True)
async def unassign(plan: Plan, argument: str) -> Step | None:
    """Without names, all assignees."""
    users = await arguments.users(plan, argument) if argument else {}
    if argument and not users:
        return None
    plan.assignee_ids[:] = [id_ for id_ in plan.assignee_ids if argument and id_ not in users.values()]
    ids = list(plan.assignee_ids)
    whom = arguments.format_names("@", users) if users else "everybody"
    return Step(f"Removed {whom} from the assignees.", {"assignee_ids": ids}, {"assignee_ids": ids})


@EDITS.command("milestone", triage=True, at_creation=True)
async def milestone(plan: Plan, argument: str) -> Step | None:
    milestone_id = await arguments.milestone(plan, argument)
    if milestone_id is None:
        return None
    return Step(f"Set the milestone to {argument}.", {"milestone_id": milestone_id}, {"milestone_id": milestone_id})


@EDITS.command("remove_milestone", triage=True)
async def remove_milestone(_: Plan, __: str) -> Step | None:
    return Step("Removed the milestone.", {"milestone_id": None}, {"milestone_id": None})


@EDITS.command("label", triage=True, at_creation=True)
async def label(plan: Plan, argument: str) -> Step | None:
    labels = await arguments.labels(plan, argument)
    if not labels:
        return None
    summary = f"Added {arguments.format_names('~', labels)}."
    return Step(summary, {"add_label_ids": list(labels.values())}, {"add_labels": list(labels)})


@EDITS.command("unlabel", "remove_label", triage=True)
async def unlabel(plan: Plan, argument: str) -> Step | None:
    """Without names, all labels."""
    if not argument:
        return Step("Removed all labels.", {"label_ids": []}, {"labels": []})
    labels = await arguments.labels(plan, argument)
    if not labels:
        return None
    summary = f"Removed {arguments.format_names('~', labels)}."
    return Step(summary, {"remove_label_ids": list(labels.values())}, {"remove_labels": list(labels)})


@EDITS.command("relabel", triage=True)
async def relabel(plan: Plan, argument: str) -> Step | None:
    labels = await arguments.labels(plan, argument)
    if not labels:
        return None
    summary = f"Replaced all labels with {arguments.format_names('~', labels)}."
    return Step(summary, {"label_ids": list(labels.values())}, {"labels": list(labels)})


@EDITS.command("board_move", triage=True)
async def board_move(plan: Plan, argument: str) -> Step | None:
    """Move the issue to another list of the board; only in projects with exactly one board."""
    labels, columns = await arguments.labels(plan, argument), await arguments.columns(plan)
    if len(labels) != 1 or not labels.keys() <= columns.keys():
        return None
    others = {title: id_ for title, id_ in columns.items() if title not in labels}
    changes = {"add_label_ids": list(labels.values()), "remove_label_ids": list(others.values())}
    edit = {"add_labels": list(labels), "remove_labels": list(others)}
    return Step(f"Moved the issue to {arguments.format_names('~', labels)} on the board.", changes, edit)


@EDITS.command("due", triage=True, at_creation=True)
async def due(_: Plan, argument: str) -> Step | None:
    day = arguments.day(argument)
    return Step(f"Set the due date to {day}.", {"due_date": day}, {"due_date": day}) if day else None


@EDITS.command("remove_due_date", triage=True)
async def remove_due_date(_: Plan, __: str) -> Step | None:
    return Step("Removed the due date.", {"due_date": None}, {"due_date": None})


@EDITS.command("weight", triage=True, at_creation=True)
async def weight(_: Plan, argument: str) -> Step | None:
    if argument not in tuple("0123456789"):
        return None
    return Step(f"Set the weight to {argument}.", {"weight": int(argument)}, {"weight": int(argument)})


@EDITS.command("clear_weight", triage=True)
async def clear_weight(_: Plan, __: str) -> Step | None:
    return Step("Cleared the weight.", {"weight": None}, {"weight": None})


@EDITS.command("subscribe")
async def subscribe(_: Plan, __: str) -> Step | None:
    return Step(
        "Subscribed to this issue.",
        {"subscription_event": "subscribe"},
        action=lambda tx, actor, issue: issues.subscribe(tx, actor, issue, subscribed=True),
    )


@EDITS.command("unsubscribe")
async def unsubscribe(_: Plan, __: str) -> Step | None:
    return Step(
        "Unsubscribed from this issue.",
        {"subscription_event": "unsubscribe"},
        action=lambda tx, actor, issue: issues.subscribe(tx, actor, issue, subscribed=False),
    )
