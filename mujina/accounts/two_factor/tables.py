"""Two-factor authentication: the key shared with a user's device, encrypted, and recovery codes as digests."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

two_factors = table(
    "two_factors",
    foreign_key("user_id", "users", key=True),
    text("sealed"),
    integer("last_step", default=0),  # of the newest accepted code: no code is valid twice
    text("created_at"),
)

recovery_codes = table(
    "recovery_codes",
    primary_key(),
    foreign_key("user_id", "users"),
    text("digest"),
    index("user_id", "digest", unique=True),
)
