"""The subscribers of a merge request."""

from typing import LiteralString

from mujina.planning.subscriptions.participation import subscribed
from mujina.review.merge_requests.rules import assignee, author

SUBSCRIBED: LiteralString = subscribed("merge_request", "mr.id", (author | assignee).for_row)
"""Whether the actor is subscribed to the request `mr`."""
