"""Suggested changes of lines, which comments on merge requests contain."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text

suggestions = table(
    "suggestions",
    primary_key(),
    foreign_key("note_id", "notes"),
    integer("lines_above"),
    integer("lines_below"),
    text("head_sha"),  # the commit whose lines are replaced
    text("path"),
    integer("from_line"),
    integer("to_line"),
    text("from_content"),
    text("to_content"),
    boolean("outdated"),  # a later version changed the lines
    foreign_key("push_id", "pushes", null=True, on_delete="SET NULL"),  # the push that applies it
    text("commit_sha", null=True),  # set when that push is recorded: it is applied
    index("note_id", "id"),
    index("push_id", where="push_id IS NOT NULL"),
)
