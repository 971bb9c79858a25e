"""The subscribers of an issue."""

from typing import LiteralString

from mujina.planning.issues.rules import assignee, author
from mujina.planning.subscriptions.participation import subscribed

SUBSCRIBED: LiteralString = subscribed("issue", "i.id", (author | assignee).for_row)
"""Whether the actor is subscribed to the issue `i`."""
