"""Which entries of the audit log a list shows."""

from mujina.activity.audit.params import ListAllAuditEvents, ListAuditEvents
from mujina.kernel.db.selection import Selection

SOURCE = "audit_events a"


def of_all(query: ListAllAuditEvents) -> Selection:
    """The entries of the whole instance."""
    chosen = _written(query)
    if query.entity_type:
        chosen.where("a.entity_type = :entity_type", entity_type=query.entity_type)
        if query.entity_id:
            chosen.where("a.entity_id = :entity_id", entity_id=query.entity_id)
    return chosen


def of_entity(entity_type: str, entity_id: int, query: ListAuditEvents) -> Selection:
    """The entries of one project or group."""
    chosen = _written(query)
    chosen.where(
        "a.entity_type = :entity_type AND a.entity_id = :entity_id", entity_type=entity_type, entity_id=entity_id
    )
    return chosen


def _written(query: ListAuditEvents) -> Selection:
    chosen = Selection(SOURCE)
    if query.created_after:
        chosen.where("a.created_at >= :created_after", created_after=query.created_after)
    if query.created_before:
        chosen.where("a.created_at <= :created_before", created_before=query.created_before)
    return chosen
