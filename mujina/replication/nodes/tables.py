"""The nodes of this instance: the primary, and the secondaries that hold copies of it."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

replication_nodes = table(
    "replication_nodes",
    primary_key(),
    text("url"),  # ends with a slash
    text("url_folded"),
    boolean("is_primary"),
    boolean("enabled", default=True),
    integer("files_max_capacity", default=10),
    integer("repos_max_capacity", default=25),
    text("access_key"),  # names the node in its credential
    text("secret"),  # encrypted: signs the credential
    foreign_key("application_id", "oauth_applications", null=True, on_delete="SET NULL"),  # for signing in to the node
    text("code_digest", null=True),  # of the code that a machine joins with once
    text("code_expires_at", null=True),
    *timestamps(),
    index("url_folded", unique=True),
    index("access_key", unique=True),
    index("is_primary", unique=True, where="is_primary"),
    index("application_id", where="application_id IS NOT NULL"),
)
