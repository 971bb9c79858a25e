"""The audit log: what was changed about access, by whom, from where."""

from mujina.kernel.db.ddl import index, integer, primary_key, table, text

# No foreign keys: an entry outlives the user who made the change and what was changed.
audit_events = table(
    "audit_events",
    primary_key(),
    integer("author_id", null=True),  # NULL: the instance itself
    text("entity_type"),  # Project | Group | User | Namespace | Instance: whose owners read it
    integer("entity_id"),
    text("entity_path"),  # as it was then
    text("target_details"),  # the name of what was changed, as it was then
    text("details"),  # JSON, without secrets
    text("created_at"),
    index("entity_type", "entity_id", "id"),
    index("created_at", "id"),
)
