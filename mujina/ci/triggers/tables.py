"""Triggers: tokens that start pipelines."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

pipeline_triggers = table(
    "pipeline_triggers",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("owner_id", "users", null=True, on_delete="SET NULL"),  # pipelines run with their rights
    text("description"),
    text("token"),  # encrypted: its owner may read it again
    text("token_digest"),  # for the look-up
    text("last_used", null=True),
    *timestamps(),
    index("token_digest", unique=True),
    index("project_id", "id"),
    index("owner_id", where="owner_id IS NOT NULL"),
)
