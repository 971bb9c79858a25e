"""Keys that open the repositories of certain projects and belong to nobody."""

from mujina.kernel.db.schema import flag, index, table, to, words

deploy_keys = table(
    "deploy_keys",
    to("project_id", "projects", key=True),
    to("key_id", "ssh_keys", key=True),
    flag("can_push"),
    words("created_at"),
    index("key_id", "project_id"),
)
