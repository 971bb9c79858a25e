"""The positions of the discussions on merge requests."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, table, text

# One row for each discussion about a line, or about a point of an image. Positions are JSON.
diff_positions = table(
    "diff_positions",
    text("discussion_id", key=True),
    foreign_key("merge_request_id", "merge_requests"),
    text("position"),  # in the newest version, or in the last one that still had the line
    text("original_position"),
    text("line_code", null=True),
    boolean("outdated"),  # a later version changed the line
    index("merge_request_id", where="NOT outdated"),
)
