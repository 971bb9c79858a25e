"""Second factors: the key shared with a person's device, encrypted, and codes for the day they lose it, as digests."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

two_factors = table(
    "two_factors",
    to("user_id", "users", key=True),
    words("sealed"),
    number("last_step", default=0),  # of the newest code that was accepted: none is good twice
    words("created_at"),
)

recovery_codes = table(
    "recovery_codes",
    identity(),
    to("user_id", "users"),
    words("digest"),
    index("user_id", "digest", unique=True),
)
