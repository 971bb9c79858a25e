"""Issues that have to do with one another."""

from mujina.kernel.db.schema import identity, index, table, to, words

# Related is related both ways: a pair has one row, whichever was named first.
issue_links = table(
    "issue_links",
    identity(),
    to("source_id", "issues"),
    to("target_id", "issues"),
    words("created_at"),
    index("source_id", "target_id", unique=True),
    index("target_id"),
)
