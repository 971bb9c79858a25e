"""What notes need to know of the commits they are about."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

# A commit has no number; it is given one when somebody first speaks of it, and notes are about that.
commented_commits = table(
    "commented_commits",
    identity(),
    to("project_id", "projects"),
    words("sha"),
    words("title"),  # as feeds show it; a commit never changes
    index("project_id", "sha", unique=True),
)

# The line of the commit's difference that a note points at; most point at none.
commented_lines = table(
    "commented_lines",
    to("note_id", "notes", key=True),
    words("path"),
    number("line"),
    words("line_type"),  # new: counted in the file after the commit | old: before it
)
