"""The work of a background service, running and done."""

from typing import NamedTuple


class Load(NamedTuple):
    """Counts since the service started."""

    busy: int
    """The number of jobs that it works on now."""
    processed: int
    failed: int
    """The number of processed jobs that failed."""
