"""Issues that have to do with one another."""

from mujina.kernel.db.schema import foreign_key, index, primary_key, table, text

# Related is related both ways: a pair has one row, whichever was named first.
issue_links = table(
    "issue_links",
    primary_key(),
    foreign_key("source_id", "issues"),
    foreign_key("target_id", "issues"),
    text("created_at"),
    index("source_id", "target_id", unique=True),
    index("target_id"),
)
