"""Feature flags: a flag is on for those whom one of its strategies chooses in their environment."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

feature_flags = table(
    "feature_flags",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("name"),
    text("description", null=True),
    boolean("active"),
    *timestamps(),
    index("project_id", "name", unique=True),
)

feature_flag_strategies = table(
    "feature_flag_strategies",
    primary_key(),
    foreign_key("flag_id", "feature_flags"),
    text("name"),  # default | gradualRolloutUserId | flexibleRollout | userWithId | gitlabUserList
    text("parameters"),  # JSON: text by name
    foreign_key("user_list_id", "user_lists", null=True),
    index("flag_id"),
    index("user_list_id", where="user_list_id IS NOT NULL"),
)

feature_flag_scopes = table(
    "feature_flag_scopes",
    primary_key(),
    foreign_key("strategy_id", "feature_flag_strategies"),
    text("environment_scope"),  # the name of an environment; * stands for any text
    index("strategy_id", "environment_scope", unique=True),
)

feature_flag_clients = table(
    "feature_flag_clients",
    foreign_key("project_id", "projects", key=True),
    text("token"),  # encrypted: those who manage flags may read it again
)
