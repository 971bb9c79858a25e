"""What both issues say of their relation: each to those who may read the other."""

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import Place

_WORDS = {
    "issue_link.created": "marked this issue as related to",
    "issue_link.deleted": "removed the relation with",
}


class _Named(msgspec.Struct, array_like=True, frozen=True):
    id: int
    project_id: int
    path: str
    iid: int

    @property
    def place(self) -> Place:
        return Place("issue", self.id, self.project_id)

    def seen_from(self, other: "_Named") -> str:
        return f"#{self.iid}" if self.project_id == other.project_id else f"{self.path}#{self.iid}"


async def note_relation(tx: Tx, event: Event) -> None:
    named = await tx.rows(
        _Named,
        """SELECT i.id, i.project_id, r.path, i.iid FROM issues i JOIN routes r ON r.project_id = i.project_id
           WHERE i.id IN :ids ORDER BY i.id""",
        ids=[event.changes["source_id"], event.changes["target_id"]],
    )
    for here, there in zip(named, reversed(named), strict=True):
        body = f"{_WORDS[event.kind]} {there.seen_from(here)}"
        await notes.add_system(tx, event, here.place, [body], of=there.place)
