"""The last status that each secondary reported."""

from mujina.kernel.db.schema import foreign_key, table, text

replication_statuses = table(
    "replication_statuses",
    foreign_key("node_id", "replication_nodes", key=True),
    text("figures"),  # JSON, see figures.py
    text("reported_at"),
)
