"""What administrators note about users, groups and projects."""

from mujina.kernel.db.schema import index, number, table, words

custom_attributes = table(
    "custom_attributes",
    words("subject_kind", key=True),  # user | group | project
    number("subject_id", key=True),
    words("key", key=True),
    words("value"),
    words("updated_at"),
    index("subject_kind", "key", "value", "subject_id"),
)
