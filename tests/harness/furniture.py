"""What stands in each project and group of the cast, one of each kind, so that every route has something to point at.

A slice adds a line when it serves a noun: it is made with the noun's own POST, by one of the cast.
"""

import re
from typing import Any, NamedTuple


class Piece(NamedTuple):
    path: str
    """Where it is found; it is made by a POST to the path without its last segment."""
    by: str
    params: dict[str, Any]
    key: str = "id"
    """The field by which its path names it."""


FURNITURE = [
    Piece("/projects/:id/issues/:iid/notes/:note_id", "reporter", {"body": "A note"}),
    Piece("/projects/:id/issues/:iid/award_emoji/:award_id", "developer", {"name": "thumbsup"}),
    Piece("/projects/:id/issues/:iid/notes/:note_id/award_emoji/:award_id", "developer", {"name": "thumbsup"}),
]
"""In the order in which they are made."""


def shape(path: str) -> str:
    """The path without the names of its captures, which differ from route to route."""
    return re.sub(r":\w+", ":", path)


def fill(path: str, standing: dict[str, Any]) -> str:
    """The path with what stands at each capture, found by the shape of the path up to it; what is not there is 1."""
    done = here = ""
    for segment in path.strip("/").split("/"):
        here += "/" + shape(segment)
        done += "/" + (str(standing.get(here, 1)) if segment.startswith(":") else segment)
    return done
