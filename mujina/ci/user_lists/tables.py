"""Lists of users for whom feature flags are on."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text, timestamps

user_lists = table(
    "user_lists",
    primary_key(),
    foreign_key("project_id", "projects"),
    integer("iid"),
    text("name"),
    text("user_xids"),  # ids of the users of another program, separated by commas
    *timestamps(),
    index("project_id", "iid", unique=True),
    index("project_id", "name", unique=True),
)
