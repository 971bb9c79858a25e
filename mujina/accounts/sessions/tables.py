"""Sessions."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text

sessions = table(
    "sessions",
    primary_key(),
    foreign_key("user_id", "users"),
    text("digest"),  # of the cookie
    text("created_at"),
    text("last_used_on"),
    text("prolong_at"),  # the first use after this extends the session: usually one write a day
    text("expires_at"),
    text("user_agent"),  # of the browser, and its address, when the session started or was last extended
    text("address"),
    index("digest", unique=True),
    index("user_id"),
    index("expires_at"),
)
