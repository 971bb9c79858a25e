"""What a namespace is called."""

from typing import LiteralString

TITLE: LiteralString = "coalesce((SELECT owner.name FROM users owner WHERE owner.id = n.owner_id), n.full_name)"
"""Of a group `Group / Subgroup`, of a personal namespace the name of its owner."""
