"""What a service in the background does and has done."""

from typing import NamedTuple


class Load(NamedTuple):
    """Counts since the service started."""

    busy: int
    """What it works on now."""
    processed: int
    failed: int
    """Of those processed."""
