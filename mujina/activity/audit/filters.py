"""Which entries of the audit log a list shows."""

from mujina.activity.audit.params import ListAllAuditEvents, ListAuditEvents
from mujina.kernel.db.selection import Selection

SOURCE = "audit_events a"


def of_all(query: ListAllAuditEvents) -> Selection:
    """The entries of the whole instance."""
    selection = _written(query)
    if query.entity_type:
        selection.where("a.entity_type = :entity_type", entity_type=query.entity_type)
        if query.entity_id:
            selection.where("a.entity_id = :entity_id", entity_id=query.entity_id)
    return selection


def of_entity(entity_type: str, entity_id: int, query: ListAuditEvents) -> Selection:
    """The entries of one project or group."""
    selection = _written(query)
    selection.where(
        "a.entity_type = :entity_type AND a.entity_id = :entity_id", entity_type=entity_type, entity_id=entity_id
    )
    return selection


def _written(query: ListAuditEvents) -> Selection:
    selection = Selection(SOURCE)
    if query.created_after:
        selection.where("a.created_at >= :created_after", created_after=query.created_after)
    if query.created_before:
        selection.where("a.created_at <= :created_before", created_before=query.created_before)
    return selection
