"""Variables that jobs get from their project, the groups above it and the instance."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

# A variable of a project has `project_id`, one of a group `group_id`, one of the instance neither.
ci_variables = table(
    "ci_variables",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    text("key"),
    text("value"),  # encrypted
    text("variable_type", default="env_var"),  # env_var | file
    text("environment_scope", default="*"),  # the name of an environment; * stands for any text
    boolean("protected"),
    boolean("masked"),
    boolean("raw"),  # the runner does not expand variables in its value
    text("description", null=True),
    *timestamps(),
    index("project_id", "key", "environment_scope", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "key", "environment_scope", unique=True, where="group_id IS NOT NULL"),
    index("key", unique=True, where="project_id IS NULL AND group_id IS NULL", name="ix_ci_variables_of_the_instance"),
)
