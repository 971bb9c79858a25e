"""Users of chats who write commands."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text

chat_accounts = table(
    "chat_accounts",
    primary_key(),
    foreign_key("user_id", "users"),
    foreign_key("service_id", "services"),
    text("team_id"),  # of the chat
    text("chat_id"),  # of the user in the chat
    text("created_at"),
    index("service_id", "team_id", "chat_id", unique=True),
    index("user_id"),
)
