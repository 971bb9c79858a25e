"""Push mirrors: repositories on other servers that follow one of ours."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

remote_mirrors = table(
    "remote_mirrors",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),  # who is mailed when it fails
    text("url"),  # encrypted: it may contain a password
    text("auth_method", default="password"),  # password | ssh_public_key
    text("private_key", null=True),  # of SSH, made for this mirror; encrypted
    text("public_key", null=True),
    text("host_keys", default=""),  # one on each line: the server is trusted if it has one of them
    boolean("enabled"),
    boolean("only_protected_branches"),
    boolean("keep_divergent_refs"),  # what has diverged over there stays, and the update fails
    text("update_status", default="none"),  # none | scheduled | started | finished | failed
    text("last_update_at", null=True),
    text("last_update_started_at", null=True),
    text("last_successful_update_at", null=True),
    text("last_error", null=True),
    *timestamps(),
    index("project_id", "id"),
    index("user_id", where="user_id IS NOT NULL"),
    index("id", where="update_status = 'failed'", name="ix_remote_mirrors_failed"),
)
