"""System notes on both issues of a link, each visible to users who may read the other issue."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.references.operations import ReferencedIssue

_SENTENCES = {
    "issue_link.created": "marked this issue as related to",
    "issue_link.deleted": "removed the relation with",
}


async def note_relation(tx: Tx, event: Event) -> None:
    issues = await tx.rows(
        ReferencedIssue,
        f"""SELECT {ReferencedIssue.columns} FROM issues i JOIN routes r ON r.project_id = i.project_id
            WHERE i.id IN :ids ORDER BY i.id""",
        ids=[event.changes["source_id"], event.changes["target_id"]],
    )
    for issue, other in zip(issues, reversed(issues), strict=True):
        target, source = (NoteTarget("issue", each.id, each.project_id) for each in (issue, other))
        body = f"{_SENTENCES[event.kind]} {other.reference(issue.project_id)}"
        await notes.add_system(tx, event, target, [body], source=source)
