"""Deploy tokens: they read the code and the packages of a project, or of all projects below a group."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

deploy_tokens = table(
    "deploy_tokens",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    foreign_key("user_id", "users"),  # the bot whose membership gives the access
    text("name"),
    text("username", null=True),  # sent with the token; NULL: the default, which has its id
    text("digest"),
    text("scopes"),  # separated by spaces
    text("expires_at", null=True),  # NULL: never
    boolean("revoked"),
    *timestamps(),
    index("digest", unique=True),
    index("user_id"),
    index("project_id", "id", where="project_id IS NOT NULL"),
    index("group_id", "id", where="group_id IS NOT NULL"),
)
