"""Issue boards of projects and of groups; each list shows the issues of one label."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text, timestamps

boards = table(
    "boards",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    text("name"),
    *timestamps(),
    index("project_id", "id"),
    index("group_id", "id"),
)

board_lists = table(
    "board_lists",
    primary_key(),
    foreign_key("board_id", "boards"),
    foreign_key("label_id", "labels"),
    integer("position"),  # ascending, with gaps where lists were deleted
    *timestamps(),
    index("board_id", "label_id", unique=True),
    index("board_id", "position"),
    index("label_id"),
)
