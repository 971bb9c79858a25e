"""The last changes of an issue or a merge request, read from its recorded events."""

from typing import Annotated, Any

import msgspec

from mujina.integrations.payloads.events import HookEventRow
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database

MAX_EVENTS = 200
"""How far the search for the last edit of a text goes back."""


class _Change(Row, alias="e"):
    id: int
    actor_id: int | None
    changes: str
    created_at: str
    edits_text: Annotated[bool, """(e.changes LIKE '%"title":[%' OR e.changes LIKE '%"description":[%')"""]


class ChangeHistory(msgspec.Struct, frozen=True):
    """The latest changes up to one event."""

    updated_by_id: int | None = None
    former_updated_by_id: int | None = None
    """The time before the event."""
    last_edited_by_id: int | None = None
    """The user who last changed the title or the description."""
    last_edited_at: str | None = None
    former_edited_by_id: int | None = None
    former_edited_at: str | None = None
    """The user before the event."""

    def edit_changes(self) -> dict[str, tuple[Any, Any]]:
        """The changes that the event made to the last edit: name → (old, new)."""
        pairs = {
            "last_edited_by_id": (self.former_edited_by_id, self.last_edited_by_id),
            "last_edited_at": (self.former_edited_at, self.last_edited_at),
        }
        return {name: (old, new) for name, (old, new) in pairs.items() if old != new}

    def columns(self) -> dict[str, Any]:
        return {
            "updated_by_id": self.updated_by_id,
            "last_edited_by_id": self.last_edited_by_id,
            "last_edited_at": self.last_edited_at,
        }


async def history_of(database: Database, event: HookEventRow, noun: str, subject_id: int) -> ChangeHistory:
    """The history of an issue or merge request as it was at the event; a new one has none."""
    if event.kind == f"{noun}.created":
        return ChangeHistory()
    async with database.reading() as tx:
        rows = await tx.rows(
            _Change,
            f"""SELECT {_Change.columns} FROM events e
                WHERE e.subject_kind = :noun AND e.subject_id = :subject_id AND e.id <= :event_id
                AND e.kind IN :kinds ORDER BY e.id DESC LIMIT :limit""",
            noun=noun, subject_id=subject_id, event_id=event.event_id, limit=MAX_EVENTS,
            kinds=[f"{noun}.{verb}" for verb in ("updated", "closed", "reopened")],
        )  # fmt: skip
    former = [row for row in rows if row.id < event.event_id]
    edit, former_edit = (next((row for row in each if row.edits_text), None) for each in (rows, former))
    return ChangeHistory(
        updated_by_id=rows[0].actor_id if rows else None,
        former_updated_by_id=former[0].actor_id if former else None,
        last_edited_by_id=edit.actor_id if edit else None,
        last_edited_at=edit.created_at if edit else None,
        former_edited_by_id=former_edit.actor_id if former_edit else None,
        former_edited_at=former_edit.created_at if former_edit else None,
    )
