"""Who is subscribed to a merge request."""

from typing import LiteralString

from mujina.planning.subscriptions.participation import subscribed

SUBSCRIBED: LiteralString = subscribed(
    "merge_request",
    "mr.id",
    """mr.author_id = :actor OR EXISTS (SELECT 1 FROM merge_request_assignees mine
       WHERE mine.merge_request_id = mr.id AND mine.user_id = :actor)""",
)
"""Whether the actor is subscribed to the request `mr`."""
