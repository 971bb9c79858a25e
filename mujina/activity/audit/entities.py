"""Entries of the audit log as responses show them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows

# Compat: an entry without a user, of a job or the command line, has the author -1.
NO_AUTHOR = -1


NEWEST_FIRST = descending("a.id")


class AuditEvent(msgspec.Struct, kw_only=True):
    id: int
    author_id: int
    entity_id: int
    entity_type: str
    details: dict[str, Any]
    created_at: str


class AuditEventView(Row, alias="a", of=AuditEvent):
    author_id: int | None
    entity_path: str
    target_details: str
    details: str


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[AuditEvent]:
    """One page of the log, newest first."""
    return (await load_rows(tx, AuditEventView, selection, NEWEST_FIRST, page)).map(_to_entity)


async def load_one(tx: Tx, selection: Selection, audit_event_id: int) -> AuditEvent:
    """The entry, if it is one of these; 404 otherwise."""
    selection = selection.where("a.id = :audit_event_id", audit_event_id=audit_event_id)
    return _to_entity(await find_row(tx, AuditEventView, selection, "Audit Event"))


async def newest(tx: Tx, selection: Selection, limit: int) -> Sequence[AuditEvent]:
    """The newest of these entries."""
    return (await load_page(tx, selection.uncounted, Page(1, limit, {}))).items


def _to_entity(row: AuditEventView) -> AuditEvent:
    return to_entity(
        AuditEvent, row, author_id=NO_AUTHOR if row.author_id is None else row.author_id,
        details={
            **msgspec.json.decode(row.details), "target_details": row.target_details, "entity_path": row.entity_path,
        },
    )  # fmt: skip
