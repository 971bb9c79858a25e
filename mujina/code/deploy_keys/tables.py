"""Deploy keys: SSH keys that belong to projects, not to users."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, table, text

deploy_keys = table(
    "deploy_keys",
    foreign_key("project_id", "projects", key=True),
    foreign_key("key_id", "ssh_keys", key=True),
    boolean("can_push"),
    text("created_at"),
    index("key_id", "project_id"),
)

# Keys that an administrator added for every project to enable; they stay when no project uses them.
public_deploy_keys = table("public_deploy_keys", foreign_key("key_id", "ssh_keys", key=True))
