"""The last status that each node reported: secondaries to the primary, and the primary for its secondaries."""

from mujina.kernel.db.ddl import foreign_key, table, text

replication_statuses = table(
    "replication_statuses",
    foreign_key("node_id", "replication_nodes", key=True),
    text("figures"),  # JSON, see rules.py
    text("reported_at"),
)
