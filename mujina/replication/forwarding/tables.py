"""The callers, on a secondary, whose writes the replica may not have yet."""

from mujina.kernel.db.ddl import index, table, text

forwarded_writes = table(
    "forwarded_writes",
    text("caller", key=True),  # digest of the credential, or of the address
    text("position"),  # of the primary's log after the last write
    text("expires_at"),
    index("expires_at"),
)
