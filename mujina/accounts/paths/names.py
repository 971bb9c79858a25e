"""The titles of namespaces."""

from typing import LiteralString

TITLE: LiteralString = "coalesce((SELECT owner.name FROM users owner WHERE owner.id = n.owner_id), n.full_name)"
"""The title is `Group / Subgroup` for a group, and the name of the owner for a personal namespace."""
