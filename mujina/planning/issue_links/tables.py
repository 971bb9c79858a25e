"""Links between issues."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text

# A pair of issues has one row.
issue_links = table(
    "issue_links",
    primary_key(),
    foreign_key("source_id", "issues"),
    foreign_key("target_id", "issues"),
    text("created_at"),
    text("link_type", default="relates_to"),  # relates_to | blocks: the source blocks the target
    index("source_id", "target_id", unique=True),
    index("target_id"),
)
