"""Services that projects connect to."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

services = table(
    "services",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("slug"),
    boolean("active"),
    text("properties"),  # JSON of the fields that are not secret
    text("secrets"),  # JSON of the others, encrypted
    text("events"),  # JSON: the flags that are set
    *timestamps(),
    index("project_id", "slug", unique=True),
)
