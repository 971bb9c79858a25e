"""System notes on both issues of a link, each visible to users who may read the other issue."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget

_SENTENCES = {
    "issue_link.created": "marked this issue as related to",
    "issue_link.deleted": "removed the relation with",
}


class LinkedIssue(Row, alias="i"):
    id: int
    project_id: int
    path: Annotated[str, "r.path"]
    iid: int

    @property
    def target(self) -> NoteTarget:
        return NoteTarget("issue", self.id, self.project_id)

    def reference_from(self, other: "LinkedIssue") -> str:
        return f"#{self.iid}" if self.project_id == other.project_id else f"{self.path}#{self.iid}"


async def note_relation(tx: Tx, event: Event) -> None:
    issues = await tx.rows(
        LinkedIssue,
        f"""SELECT {LinkedIssue.columns} FROM issues i JOIN routes r ON r.project_id = i.project_id
            WHERE i.id IN :ids ORDER BY i.id""",
        ids=[event.changes["source_id"], event.changes["target_id"]],
    )
    for issue, other in zip(issues, reversed(issues), strict=True):
        body = f"{_SENTENCES[event.kind]} {other.reference_from(issue)}"
        await notes.add_system(tx, event, issue.target, [body], source=other.target)
