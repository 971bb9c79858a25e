"""Facts about the instance itself."""

from mujina.kernel.db.ddl import table, text

instance_facts = table(
    "instance_facts",
    text("name", key=True),
    text("value"),
)
