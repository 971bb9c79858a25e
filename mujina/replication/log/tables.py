"""The changes that secondaries have to copy, in order. The table has rows only while there are secondaries."""

from mujina.kernel.db.ddl import integer, primary_key, table, text

replication_log = table(
    "replication_log",
    primary_key(),
    text("kind"),  # see rules.py
    integer("object_id"),  # of the project, upload, LFS object, user or group
    text("created_at"),
)

# The last row that was deleted: a secondary that has not applied it starts over.
replication_pruned = table(
    "replication_pruned",
    integer("id", key=True),  # always 1
    integer("event_id"),
)
