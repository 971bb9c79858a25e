"""System notes on merge requests: one short sentence for each change, with the actor as its author."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes, Event
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.system_notes import sentences
from mujina.planning.system_notes.sentences import Names
from mujina.review.merge_requests.drafts import is_draft, without_draft

_STATES = {"closed": "closed", "opened": "reopened", "merged": "merged"}


async def note_merge_request_changes(tx: Tx, event: Event) -> None:
    """A note for each change of an edit: the state first, then the rest in a fixed order."""
    changes = event.changes
    names = await sentences.names_in(tx, event)
    bodies: list[str] = [
        *([_STATES[changes["state"][1]]] if "state" in changes else []),
        *_title(changes),
        *sentences.description(changes),
        *sentences.time(changes),
        *sentences.labels(changes, names),
        *_lock(changes),
        *sentences.milestone(changes, names),
        *_target_branch(changes),
        *_assignees(changes, names),
        *_reviewers(changes, names),
    ]
    await notes.add_system(tx, event, NoteTarget("merge_request", event.subject_id, event.project_id), bodies)


async def note_restored_branch(tx: Tx, event: Event) -> None:
    """A note if the push brought the source branch back. A push that deletes it closes the request instead."""
    if "restored" in event.changes:
        branch = await tx.value("SELECT mr.source_branch FROM merge_requests mr WHERE mr.id = :id", id=event.subject_id)
        target = NoteTarget("merge_request", event.subject_id, event.project_id)
        await notes.add_system(tx, event, target, [f"restored source branch `{branch}`"])


def _title(changes: Changes) -> list[str]:
    """A change of the prefix alone has one note; a change of both has two."""
    if "title" not in changes:
        return []
    before, after = changes["title"]
    marked = [] if is_draft(before) == is_draft(after) else ["marked" if is_draft(after) else "unmarked"]
    commit = f" from {changes['draft_commit'][1]}" if "draft_commit" in changes else ""
    notes = [f"{verb} as a **Work In Progress**{commit}" for verb in marked]
    if marked and without_draft(before) == without_draft(after):
        return notes
    return [*notes, *sentences.title(changes)]


def _lock(changes: Changes) -> list[str]:
    if "discussion_locked" not in changes:
        return []
    return [f"{'locked' if changes['discussion_locked'][1] else 'unlocked'} this merge request"]


def _target_branch(changes: Changes) -> list[str]:
    if "target_branch" not in changes:
        return []
    before, after = changes["target_branch"]
    return [f"changed target branch from `{before}` to `{after}`"]


def _assignees(changes: Changes, names: Names) -> list[str]:
    """A single assignee who is replaced is not named."""
    before, after = changes.get("assignee_ids", ((), ()))
    if len(before) == 1 and len(after) == 1:
        return [f"assigned to {names['user', after[0]]}"]
    return sentences.assignees(changes, names)


def _reviewers(changes: Changes, names: Names) -> list[str]:
    before, after = changes.get("reviewer_ids", ((), ()))
    added = [names["user", id_] for id_ in after if id_ not in before]
    removed = [names["user", id_] for id_ in before if id_ not in after]
    parts = [f"requested review from {sentences.join(added)}"] if added else []
    parts += [f"removed review request for {sentences.join(removed)}"] if removed else []
    return [" and ".join(parts)] if parts else []
