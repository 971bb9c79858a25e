"""Attributes that administrators give to users, groups and projects."""

from mujina.kernel.db.ddl import index, integer, table, text

custom_attributes = table(
    "custom_attributes",
    text("subject_kind", key=True),  # user | group | project
    integer("subject_id", key=True),
    text("key", key=True),
    text("value"),
    text("updated_at"),
    index("subject_kind", "key", "value", "subject_id"),
)
