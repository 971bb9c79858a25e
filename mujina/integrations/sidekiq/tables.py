"""How much waited in the background, over the last days."""

from mujina.kernel.db.ddl import integer, table, text

queue_samples = table(
    "queue_samples",
    text("measured_at", key=True),
    integer("waiting"),  # jobs and deliveries that could have run then
)
