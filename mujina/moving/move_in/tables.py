"""What was moved here from other forges."""

from mujina.kernel.db.ddl import foreign_key, index, integer, table, text

# One row for each object of a source that is here, so that a later run neither forgets nor repeats it.
moved_objects = table(
    "moved_objects",
    text("source", key=True),  # the address of the source
    text("kind", key=True),  # person | group | project | label | milestone | issue | …
    text("source_id", key=True),
    integer("object_id"),  # the id of its row here
    text("fingerprint", default=""),  # of the state that was moved with everything below it; empty: not yet all of it
    # What the object belongs to, or is; the row goes with it.
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    foreign_key("user_id", "users", null=True),
    index("project_id", where="project_id IS NOT NULL"),
    index("group_id", where="group_id IS NOT NULL"),
    index("user_id", where="user_id IS NOT NULL"),
)
