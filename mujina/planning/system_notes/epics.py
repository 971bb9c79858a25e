"""System notes on epics, and on the issues that are put into them."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.system_notes import sentences


async def note_epic_changes(tx: Tx, event: Event) -> None:
    """A note for a new title, for a new description, and for other labels."""
    names = await sentences.names_in(tx, event)
    bodies = [
        *sentences.title(event.changes),
        *sentences.description(event.changes),
        *sentences.labels(event.changes, names),
    ]
    await notes.add_system(tx, event, NoteTarget("epic", event.subject_id, None), bodies)


class _NotedIssue(Row, alias="i"):
    id: int
    project_id: int
    reference: Annotated[str, "r.path || '#' || i.iid"]


class _NotedEpic(Row, alias="e"):
    id: int
    reference: Annotated[str, "r.path || '&' || e.iid"]


async def note_epic_issue(tx: Tx, event: Event) -> None:
    """A note on the issue and on each epic that gets or loses it, visible to those who may read the other one."""
    issue = await tx.row(
        _NotedIssue,
        f"SELECT {_NotedIssue.columns} FROM issues i JOIN routes r ON r.project_id = i.project_id WHERE i.id = :id",
        id=event.subject_id,
    )
    before, after = event.changes["epic_id"]
    epics = {
        epic.id: epic
        for epic in await tx.rows(
            _NotedEpic,
            f"""SELECT {_NotedEpic.columns} FROM epics e JOIN routes r ON r.namespace_id = e.group_id
                WHERE e.id IN :ids""",
            ids=[id_ for id_ in (before, after) if id_ is not None],
        )
    }
    if issue is None:
        return
    target = NoteTarget("issue", issue.id, issue.project_id)
    for epic_id, verb in ((before, "removed"), (after, "added")):
        if epic_id in epics:
            about = NoteTarget("epic", epic_id, None)
            await notes.add_system(tx, event, about, [f"{verb} issue {issue.reference}"], source=target)
    if shown := epics.get(after or before):
        moved = before is not None and after is not None
        sentence = "changed epic to" if moved else "added to epic" if after else "removed from epic"
        await notes.add_system(
            tx, event, target, [f"{sentence} {shown.reference}"], source=NoteTarget("epic", shown.id, None)
        )
