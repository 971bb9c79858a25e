"""Commits and lines that notes are on."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

# A commit has no id in the database; its first comment creates one.
commented_commits = table(
    "commented_commits",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("sha"),
    text("title"),  # for feeds; a commit never changes
    index("project_id", "sha", unique=True),
)

# The changed line that a note is on; most are on none.
commented_lines = table(
    "commented_lines",
    foreign_key("note_id", "notes", key=True),
    text("path"),
    integer("line"),
    text("line_type"),  # new: counted in the file after the commit | old: before it
)
