"""Who is subscribed to an issue."""

from typing import LiteralString

from mujina.planning.subscriptions.participation import subscribed

SUBSCRIBED: LiteralString = subscribed(
    "issue",
    "i.id",
    "i.author_id = :actor OR EXISTS (SELECT 1 FROM issue_assignees mine WHERE mine.issue_id = i.id AND mine.user_id = :actor)",
)
"""Whether the actor is subscribed to the issue `i`."""
