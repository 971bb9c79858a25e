"""Archives of projects in the storage of files: those that people asked for, and those that they uploaded."""

from mujina.kernel.db.ddl import foreign_key, index, table, text

project_archives = table(
    "project_archives",
    foreign_key("project_id", "projects", key=True),
    text("kind", key=True),  # export | import
    text("status"),  # queued | started | finished
    text("file", null=True),  # name of the file in storage, never used twice
    text("updated_at"),
    index("updated_at"),
)
