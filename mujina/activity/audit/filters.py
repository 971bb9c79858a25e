"""Which entries of the audit log a list shows."""

from mujina.activity.audit.params import ListAllAuditEvents, ListAuditEvents
from mujina.kernel.db.sql.selection import Selection, Sql
from mujina.kernel.lists.filters import Filters, apply_filters, compared


def of_all(query: ListAllAuditEvents) -> Selection:
    """The entries of the whole instance."""
    return apply_filters(_written(query), query, _OF_ENTITY if query.entity_type else {})


def of_entity(entity_type: str, entity_id: int, query: ListAuditEvents) -> Selection:
    """The entries of one project or group."""
    return _written(query).where(
        "a.entity_type = :entity_type AND a.entity_id = :entity_id", entity_type=entity_type, entity_id=entity_id
    )


def _written(query: ListAuditEvents) -> Selection:
    return apply_filters(Selection("audit_events a"), query, _FILTERS)


_FILTERS: Filters = {
    "created_after": compared("a.created_at", ">="),
    "created_before": compared("a.created_at", "<="),
}
_OF_ENTITY: Filters = {
    "entity_type": compared("a.entity_type"),
    "entity_id": lambda name, id_: Sql(f"a.entity_id = :{name}", **{name: id_}) if id_ else None,
}
