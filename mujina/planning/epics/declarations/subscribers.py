"""The subscribers of an epic."""

from typing import LiteralString

from mujina.planning.subscriptions.participation import subscribed

SUBSCRIBED: LiteralString = subscribed("epic", "e.id", "e.author_id = :actor")
"""Whether the actor is subscribed to the epic `e`."""
