"""System notes on issues: one short sentence for each change, with the actor as its author."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes, Event
from mujina.planning.notes import operations
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.system_notes import sentences


async def note_changes(tx: Tx, event: Event) -> None:
    """A note for each change of an edit; none for the values of a new issue."""
    changes = event.changes
    names = await sentences.names_in(tx, event)
    bodies: list[str] = [
        *sentences.title(changes),
        *sentences.description(changes),
        *sentences.assignees(changes, names),
        *sentences.labels(changes, names),
        *sentences.milestone(changes, names),
        *_switches(changes),
        *sentences.time(changes),
    ]
    source = NoteTarget(*changes["source"]) if "source" in changes else None
    await operations.add_system(
        tx, event, NoteTarget("issue", event.subject_id, event.project_id), bodies, source=source
    )


async def note_move(tx: Tx, event: Event) -> None:
    """The original names the copy and the copy names the original: `moved to`, or `cloned to`."""
    old, new = _pair(event)
    source, target = event.changes["reference"]
    verb = event.kind.removeprefix("issue.")
    await operations.add_system(tx, event, old, [f"{verb} to {target}"], source=new)
    await operations.add_system(tx, event, new, [f"{verb} from {source}"], source=old)


async def note_duplicate(tx: Tx, event: Event) -> None:
    """A note on each of the two, visible to users who may read the other."""
    issue, canonical = _pair(event)
    same_project = issue.project_id == canonical.project_id
    mine, other = (f"#{name.rpartition('#')[2]}" if same_project else name for name in event.changes["reference"])
    await operations.add_system(tx, event, issue, [f"marked this issue as a duplicate of {other}"], source=canonical)
    await operations.add_system(tx, event, canonical, [f"marked {mine} as a duplicate of this issue"], source=issue)


def _pair(event: Event) -> tuple[NoteTarget, NoteTarget]:
    (old_id, new_id), (old_project, new_project) = event.changes["issue_id"], event.changes["project_id"]
    return NoteTarget("issue", old_id, old_project), NoteTarget("issue", new_id, new_project)


def _switches(changes: Changes) -> list[str]:
    sentences = {
        "confidential": {True: "made the issue confidential", False: "made the issue visible to everyone"},
        "discussion_locked": {True: "locked this issue", False: "unlocked this issue"},
        "state": {"closed": f"closed via {changes['via'][1]}" if "via" in changes else "closed", "opened": "reopened"},
    }
    return [by_value[changes[name][1]] for name, by_value in sentences.items() if name in changes]
