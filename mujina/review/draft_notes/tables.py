"""Notes on merge requests that their authors have not published."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

draft_notes = table(
    "draft_notes",
    primary_key(),
    foreign_key("merge_request_id", "merge_requests"),
    foreign_key("author_id", "users"),
    text("note"),
    text("discussion_id", null=True),  # the discussion that it replies to
    boolean("resolve_discussion"),
    text("position", null=True),  # JSON, as in diff_positions
    text("line_code", null=True),
    *timestamps(),
    index("merge_request_id", "author_id", "id"),
    index("author_id"),
)
