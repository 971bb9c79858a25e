"""Positions of issues in the order that people give them."""

from mujina.kernel.db.ddl import foreign_key, integer, table

# An issue without a row comes after those that have one.
issue_positions = table(
    "issue_positions",
    foreign_key("issue_id", "issues", key=True),
    integer("position"),
)
