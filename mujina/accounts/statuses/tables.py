"""What users say about what they are doing."""

from mujina.kernel.db.ddl import foreign_key, table, text

user_statuses = table(
    "user_statuses",
    foreign_key("user_id", "users", key=True),
    text("emoji"),
    text("message"),
    text("availability"),  # not_set | busy
    text("clear_at", null=True),  # from then on it is shown no more; NULL: never
)
