"""System notes on both issues of a link, each visible to users who may read the other issue."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.references.operations import ReferencedIssue

_SENTENCES = {
    ("issue_link.created", "relates_to"): ("marked this issue as related to",) * 2,
    ("issue_link.created", "blocks"): ("marked this issue as blocking", "marked this issue as blocked by"),
}
"""What the note on the source says, and that on the target."""
_REMOVED = ("removed the relation with",) * 2


async def note_relation(tx: Tx, event: Event) -> None:
    issues = await tx.rows(
        ReferencedIssue,
        f"""SELECT {ReferencedIssue.columns} FROM issues i JOIN routes r ON r.project_id = i.project_id
            WHERE i.id IN :ids ORDER BY CASE WHEN i.id = :source_id THEN 0 ELSE 1 END""",
        ids=[event.changes["source_id"], event.changes["target_id"]],
        source_id=event.changes["source_id"],
    )
    # Events of older versions have no type.
    sentences = _SENTENCES.get((event.kind, event.changes.get("link_type", "relates_to")), _REMOVED)
    for issue, other, sentence in zip(issues, reversed(issues), sentences, strict=True):
        target, source = (NoteTarget("issue", each.id, each.project_id) for each in (issue, other))
        body = f"{sentence} {other.reference(issue.project_id)}"
        await notes.add_system(tx, event, target, [body], source=source)
