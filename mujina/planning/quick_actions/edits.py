"""The commands that edit columns, labels and assignees of an issue or merge request."""

from mujina.instance.editions.rules import has_feature
from mujina.planning.issues.operations import MAX_TITLE_LENGTH
from mujina.planning.quick_actions import arguments
from mujina.planning.quick_actions.plan import Commands, Outcome, Plan, Recorded, Step
from mujina.planning.subscriptions.operations import subscribe as subscribe_to

EDITS = Commands()

NO_WEIGHTS = "This edition has no weights."


@EDITS.command("close", slot="state")
async def close(plan: Plan, _: str) -> Step | str:
    if plan.target is None or plan.target.state != "opened":
        return f"This {plan.noun} is closed already."
    return Step(f"Closed this {plan.noun}.", {"state_event": "close"}, {"state_event": "close"})


@EDITS.command("reopen", slot="state")
async def reopen(plan: Plan, _: str) -> Step | str:
    if plan.target is None or plan.target.state == "opened":
        return f"This {plan.noun} is open already."
    if plan.target.state != "closed":
        return f"This {plan.noun} is {plan.target.state}."
    return Step(f"Reopened this {plan.noun}.", {"state_event": "reopen"}, {"state_event": "reopen"})


@EDITS.command("title")
async def title(_: Plan, argument: str) -> Step | str:
    if not argument or len(argument) > MAX_TITLE_LENGTH:
        return f"A title has 1 to {MAX_TITLE_LENGTH} characters."
    return Step(f'Changed the title to "{argument}".', {"title": argument}, {"title": argument})


@EDITS.command("assign", triage=True, at_creation=True)
async def assign(plan: Plan, argument: str) -> Step | str:
    users = await arguments.users(plan, argument)
    if not users:
        return f"Found no user {arguments.quoted(argument)}."
    if not has_feature("several_assignees"):
        plan.assignee_ids.clear()  # the only assignee is replaced
    plan.assignee_ids.extend(id_ for id_ in users.values() if id_ not in plan.assignee_ids)
    ids = list(plan.assignee_ids)

    def confirm(recorded: Recorded) -> Outcome:
        before, after = recorded.get("assignee_ids", (plan.assignees_before, plan.assignees_before))
        added = {name: id_ for name, id_ in users.items() if id_ in after and id_ not in before}
        failed = {name: id_ for name, id_ in users.items() if id_ not in after}
        sentences = [
            f"Assigned {arguments.format_names('@', added)}." if added else "",
            f"Could not assign {arguments.format_names('@', failed)}." if failed else "",
        ]
        changes = {"assignee_ids": [id_ for id_ in ids if id_ in after]} if added else {}
        return Outcome(" ".join(filter(None, sentences)) or "Everybody named is assigned already.", changes)

    return Step("", {}, {"assignee_ids": ids}, confirm=confirm)


@EDITS.command("unassign", "remove_assignee", triage=True, collects=True)
async def unassign(plan: Plan, argument: str) -> Step | str:
    """Unassigns these users; without names, all."""
    users = await arguments.users(plan, argument) if argument else {}
    named = {name: id_ for name, id_ in users.items() if id_ in plan.assignee_ids}
    if not plan.assignee_ids or (argument and not named):
        return "Nobody named is assigned." if argument else "Nobody is assigned."
    plan.assignee_ids[:] = [id_ for id_ in plan.assignee_ids if argument and id_ not in named.values()]
    ids = list(plan.assignee_ids)
    whom = arguments.format_names("@", named) if named else "everybody"
    return Step(f"Removed {whom} from the assignees.", {"assignee_ids": ids}, {"assignee_ids": ids})


@EDITS.command("milestone", triage=True, at_creation=True)
async def milestone(plan: Plan, argument: str) -> Step | str:
    milestone_id = await arguments.milestone(plan, argument)
    if milestone_id is None:
        return f"Found no milestone {arguments.quoted(argument)}."
    return Step(f"Set the milestone to {argument}.", {"milestone_id": milestone_id}, {"milestone_id": milestone_id})


@EDITS.command("remove_milestone", triage=True, slot="milestone")
async def remove_milestone(plan: Plan, _: str) -> Step | str:
    return _removal(plan, "milestone_id", "milestone", {"milestone_id": None})


@EDITS.command("label", triage=True, at_creation=True, collects=True)
async def label(plan: Plan, argument: str) -> Step | str:
    labels = await arguments.labels(plan, argument)
    if not labels:
        return f"Found no label {arguments.quoted(argument)}."

    def confirm(recorded: Recorded) -> Outcome:
        before, after = recorded.get("labels", ([], []))
        added = {title: id_ for title, id_ in labels.items() if title in after and title not in before}
        if not added:
            return Outcome(f"The {plan.noun} has these labels already.", {})
        return Outcome(f"Added {arguments.format_names('~', added)}.", {"add_label_ids": list(added.values())})

    return Step("", {}, {"add_labels": list(labels)}, confirm=confirm)


@EDITS.command("unlabel", "remove_label", triage=True, collects=True)
async def unlabel(plan: Plan, argument: str) -> Step | str:
    """Removes these labels; without names, all."""
    if not argument:
        return _removal(plan, "labels", "labels", {"labels": []}, {"label_ids": []})
    labels = await arguments.labels(plan, argument)
    if not labels:
        return f"Found no label {arguments.quoted(argument)}."

    def confirm(recorded: Recorded) -> Outcome:
        before, after = recorded.get("labels", ([], []))
        removed = {title: id_ for title, id_ in labels.items() if title in before and title not in after}
        if not removed:
            return Outcome(f"The {plan.noun} has none of these labels.", {})
        return Outcome(f"Removed {arguments.format_names('~', removed)}.", {"remove_label_ids": list(removed.values())})

    return Step("", {}, {"remove_labels": list(labels)}, confirm=confirm)


@EDITS.command("relabel", triage=True, collects=True)
async def relabel(plan: Plan, argument: str) -> Step | str:
    labels = await arguments.labels(plan, argument)
    if not labels:
        return f"Found no label {arguments.quoted(argument)}."
    summary = f"Replaced all labels with {arguments.format_names('~', labels)}."
    return Step(summary, {"label_ids": list(labels.values())}, {"labels": list(labels)})


@EDITS.command("board_move", triage=True)
async def board_move(plan: Plan, argument: str) -> Step | str:
    """Move the issue to another list of the board; only in projects with exactly one board."""
    labels, columns = await arguments.labels(plan, argument), await arguments.columns(plan)
    if len(labels) != 1 or not labels.keys() <= columns.keys():
        return f"Found no list {arguments.quoted(argument)} on the board."
    others = {title: id_ for title, id_ in columns.items() if title not in labels}
    changes = {"add_label_ids": list(labels.values()), "remove_label_ids": list(others.values())}
    edit = {"add_labels": list(labels), "remove_labels": list(others)}
    return Step(f"Moved the issue to {arguments.format_names('~', labels)} on the board.", changes, edit)


@EDITS.command("due", triage=True, at_creation=True)
async def due(_: Plan, argument: str) -> Step | str:
    day = arguments.day(argument)
    if day is None:
        return f"Could not read the date {arguments.quoted(argument)}."
    return Step(f"Set the due date to {day}.", {"due_date": day}, {"due_date": day})


@EDITS.command("remove_due_date", triage=True, slot="due")
async def remove_due_date(plan: Plan, _: str) -> Step | str:
    return _removal(plan, "due_on", "due date", {"due_date": None})


@EDITS.command("weight", triage=True, at_creation=True)
async def weight(_: Plan, argument: str) -> Step | str:
    if not has_feature("issue_weights"):
        return NO_WEIGHTS
    if argument not in tuple("0123456789"):
        return "A weight is a number from 0 to 9."
    return Step(f"Set the weight to {argument}.", {"weight": int(argument)}, {"weight": int(argument)})


@EDITS.command("clear_weight", triage=True, slot="weight")
async def clear_weight(plan: Plan, _: str) -> Step | str:
    if not has_feature("issue_weights"):
        return NO_WEIGHTS
    return _removal(plan, "weight", "weight", {"weight": None})


@EDITS.command("subscribe", slot="subscription")
async def subscribe(plan: Plan, _: str) -> Step | str:
    return Step(
        f"Subscribed to this {plan.noun}.",
        {"subscription_event": "subscribe"},
        action=lambda tx, actor, target: subscribe_to(tx, actor, plan.kind.item.name, target.id, subscribed=True),
    )


@EDITS.command("unsubscribe", slot="subscription")
async def unsubscribe(plan: Plan, _: str) -> Step | str:
    return Step(
        f"Unsubscribed from this {plan.noun}.",
        {"subscription_event": "unsubscribe"},
        action=lambda tx, actor, target: subscribe_to(tx, actor, plan.kind.item.name, target.id, subscribed=False),
    )


def _removal(plan: Plan, column: str, name: str, edit: Recorded, changes: Recorded | None = None) -> Step:
    """A step that removes a value; it did nothing if the edit recorded no change of the column."""

    def confirm(recorded: Recorded) -> Outcome:
        if column not in recorded:
            return Outcome(f"The {plan.noun} has no {name}.", {})
        removed = "all labels" if column == "labels" else f"the {name}"
        return Outcome(f"Removed {removed}.", edit if changes is None else changes)

    return Step("", {}, edit, confirm=confirm)
