"""Who is signed in where, and what was tried in vain."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

sessions = table(
    "sessions",
    identity(),
    to("user_id", "users"),
    words("digest"),  # of the cookie
    words("created_at"),
    words("last_used_on"),  # written at most once a day
    words("expires_at"),  # seven days after the last day of use
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
