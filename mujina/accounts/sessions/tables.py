"""Who is signed in where, and what was tried in vain."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

sessions = table(
    "sessions",
    identity(),
    to("user_id", "users"),
    words("digest"),  # of the cookie
    words("created_at"),
    words("last_used_on"),
    words("prolong_at"),  # its first use from then on makes it last longer: at most one write a day, as a rule
    words("expires_at"),
    index("digest", unique=True),
    index("user_id"),
    index("expires_at"),
)

failed_logins = table(
    "failed_logins",
    words("claimed", key=True),  # whom the failures were about: a person, or the digest of a name that is nobody's
    number("failures"),
    words("failed_at"),
    index("failed_at"),
)
