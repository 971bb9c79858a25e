"""The objects that a secondary has copied. These tables are used in its local database, and empty elsewhere."""

from mujina.kernel.db.ddl import boolean, index, integer, table, text

replicated_repositories = table(
    "replicated_repositories",
    integer("project_id", key=True),
    text("kind", key=True),  # repository | wiki
    boolean("dirty", default=True),  # changed since it was last fetched
    integer("changes", default=1),  # how often it changed: a change during an attempt is not lost
    boolean("fresh"),  # the next attempt clones instead of fetching
    boolean("loss_confirmed"),  # the next attempt may delete most refs: an operator said so
    text("started_at", null=True),  # of the last attempt
    text("succeeded_at", null=True),  # start of the last attempt that succeeded
    text("verified_at", null=True),  # when its refs were last compared with those of the primary
    integer("retry_count", default=0),  # failed attempts since the last success
    text("due_at"),  # not tried before
    text("failure", null=True),
    index("due_at", where="dirty"),
    index("verified_at"),
)

replicated_files = table(
    "replicated_files",
    text("key", key=True),  # in the storage of files, the same as on the primary
    text("kind"),  # attachment | lfs | user_avatar | project_avatar | group_avatar | topic_avatar | …
    integer("object_id"),
    boolean("succeeded"),
    integer("retry_count", default=0),
    text("due_at"),
    text("failure", null=True),
    index("due_at", where="NOT succeeded"),
    index("kind", "succeeded"),
    index("kind", "object_id"),
)

replication_cursor = table(
    "replication_cursor",
    integer("id", key=True),  # always 1
    integer("event_id"),  # the last event of the log that was applied
    text("event_at", null=True),
    text("contact_at"),  # when the replica last received from the primary
    text("followed_at"),  # when everything that the replica had of the log was last applied
)

# Numbers that the log skipped: their transactions rolled back, or have not committed yet.
replication_gaps = table(
    "replication_gaps",
    integer("event_id", key=True),
    text("seen_at"),
)
