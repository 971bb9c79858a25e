"""Second factors: the key shared with a person's device, encrypted, and codes for the day they lose it, as digests."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text

two_factors = table(
    "two_factors",
    foreign_key("user_id", "users", key=True),
    text("sealed"),
    integer("last_step", default=0),  # of the newest code that was accepted: none is good twice
    text("created_at"),
)

recovery_codes = table(
    "recovery_codes",
    primary_key(),
    foreign_key("user_id", "users"),
    text("digest"),
    index("user_id", "digest", unique=True),
)
