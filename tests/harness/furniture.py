"""One of every noun in each place of the cast, so that every route has something to point at.

For the tests that walk all routes. A slice adds a line when it serves a noun: it is made with the noun's own POST, by
one of the cast.
"""

import re
from typing import Any, NamedTuple

from tests.harness.cast import Cast

Standing = dict[str, Any]
"""What stands at each capture, by the shape of the path up to it: `/projects/:/issues/:` → 1."""


class Piece(NamedTuple):
    path: str
    """Where it is found; it is made by a POST to the path without its last segment."""
    by: str
    params: dict[str, Any]
    key: str = "id"
    """The field by which its path names it."""


FURNITURE = [
    Piece("/groups/:id/labels/:label_id", "owner", {"name": "A group label", "color": "red"}),
    Piece("/groups/:id/milestones/:milestone_id", "owner", {"title": "A group milestone"}),
    Piece("/projects/:id/labels/:label_id", "reporter", {"name": "A label", "color": "red"}),
    Piece("/projects/:id/milestones/:milestone_id", "developer", {"title": "A milestone"}),
    Piece("/projects/:id/issues/:iid/notes/:note_id", "reporter", {"body": "A note"}),
    Piece("/projects/:id/issues/:iid/discussions/:discussion_id", "reporter", {"body": "A question"}),
    Piece("/projects/:id/issues/:iid/discussions/:discussion_id/notes/:note_id", "developer", {"body": "An answer"}),
    Piece("/projects/:id/boards/:board_id", "master", {"name": "A board"}),
    Piece("/projects/:id/issues/:iid/award_emoji/:award_id", "developer", {"name": "thumbsup"}),
    Piece("/projects/:id/issues/:iid/notes/:note_id/award_emoji/:award_id", "developer", {"name": "thumbsup"}),
]
"""In the order in which they are made."""


PEOPLE = {
    "/groups/:/access_requests/:": "guest",
    "/groups/:/members/:": "guest",
    "/projects/:/access_requests/:": "guest",
    "/projects/:/members/:": "guest",
    "/users/:": "reporter",
}
"""Captures that are one of the cast, by the shape of the path up to them."""


def shape(path: str) -> str:
    """The path without the names of its captures, which differ from route to route."""
    return re.sub(r":\w+", ":", path)


def arrange(cast: Cast) -> dict[str, Standing]:
    """Make everything; what then stands in the project of each visibility, and around it."""
    around: Standing = {path: getattr(cast, name).id for path, name in PEOPLE.items()}
    around |= {"/groups/:": cast.team.id, "/namespaces/:": cast.team.id}
    _make(cast, around, "/groups/:/")
    found: dict[str, Standing] = {}
    for visibility in ("private", "internal", "public"):
        found[visibility] = {
            **around,
            "/projects/:": getattr(cast, visibility).id,
            "/projects/:/issues/:": cast.open,
        }
        _make(cast, found[visibility], "/projects/:/")
    return found


def _make(cast: Cast, standing: Standing, below: str) -> None:
    for piece in FURNITURE:
        if shape(piece.path).startswith(below):
            collection = fill(piece.path, standing).rpartition("/")[0]
            made = getattr(cast, piece.by).post(collection, **piece.params)
            assert made.status == 201, (collection, made)
            standing[shape(piece.path)] = made.json[piece.key]


def fill(path: str, standing: Standing) -> str:
    """The path with what stands at each capture; where nothing does, 1."""
    done = here = ""
    for segment in path.strip("/").split("/"):
        here += "/" + shape(segment)
        done += "/" + (str(standing.get(here, 1)) if segment.startswith(":") else segment)
    return done
