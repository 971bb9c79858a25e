"""What notes need to know of the commits they are about."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text

# A commit has no number; it is given one when somebody first speaks of it, and notes are about that.
commented_commits = table(
    "commented_commits",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("sha"),
    text("title"),  # as feeds show it; a commit never changes
    index("project_id", "sha", unique=True),
)

# The line of the commit's difference that a note points at; most point at none.
commented_lines = table(
    "commented_lines",
    foreign_key("note_id", "notes", key=True),
    text("path"),
    integer("line"),
    text("line_type"),  # new: counted in the file after the commit | old: before it
)
