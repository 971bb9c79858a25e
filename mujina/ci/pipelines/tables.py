"""The variables that a pipeline was started with."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text

pipeline_variables = table(
    "pipeline_variables",
    primary_key(),
    foreign_key("pipeline_id", "pipelines"),
    text("key"),
    text("value"),  # encrypted
    text("variable_type", default="env_var"),  # env_var | file
    boolean("raw"),  # whether the runner leaves `$` in the value as it is
    index("pipeline_id", "key", unique=True),
)
