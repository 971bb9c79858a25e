"""Who is signed in where, and what was tried in vain."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text

sessions = table(
    "sessions",
    primary_key(),
    foreign_key("user_id", "users"),
    text("digest"),  # of the cookie
    text("created_at"),
    text("last_used_on"),
    text("prolong_at"),  # its first use from then on makes it last longer: at most one write a day, as a rule
    text("expires_at"),
    index("digest", unique=True),
    index("user_id"),
    index("expires_at"),
)

failed_logins = table(
    "failed_logins",
    text("claimed", key=True),  # whom the failures were about: a person, or the digest of a name that is nobody's
    integer("failures"),
    text("failed_at"),
    index("failed_at"),
)
