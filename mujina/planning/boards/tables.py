"""Boards: the issues of a project in columns, one for each label that matters."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

boards = table(
    "boards",
    identity(),
    to("project_id", "projects"),
    words("name"),
    words("created_at"),
    words("updated_at"),
    index("project_id", "id"),
)

board_lists = table(
    "board_lists",
    identity(),
    to("board_id", "boards"),
    to("label_id", "labels"),
    number("position"),  # in this order; where a list went, perhaps with its label, there is a gap
    words("created_at"),
    words("updated_at"),
    index("board_id", "label_id", unique=True),
    index("board_id", "position"),
    index("label_id"),
)
