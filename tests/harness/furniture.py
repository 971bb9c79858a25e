"""One of every noun in each place of the cast, so that every route has something to point at.

For the tests that walk all routes. A slice adds a line when it serves a noun: it is made with the noun's own POST, by
one of the cast.
"""

import re
from typing import Any, NamedTuple

from tests.harness.cast import Cast
from tests.harness.public_keys import gpg_key, ssh_key

Standing = dict[str, Any]
"""What stands at each capture, by the shape of the path up to it: `/projects/:/issues/:` → 1."""


class Piece(NamedTuple):
    path: str
    """Where it is found; it is made by a POST to the path without its last segment."""
    by: str
    params: dict[str, Any]
    """What is said; a path stands for what stands there."""
    key: str = "id"
    """The field by which its path names it: of what the POST answers, or else of its list."""
    put: str = ""
    """Not empty: its name, and it is made by a PUT to its own path."""


FURNITURE = [
    Piece("/broadcast_messages/:id", "root", {"message": "A message"}),
    Piece("/user/keys/:key_id", "reporter", {"title": "A key", "key": ssh_key("one")}),
    Piece("/user/gpg_keys/:key_id", "reporter", {"key": gpg_key("one")}),
    Piece("/user/emails/:email_id", "reporter", {"email": "further@example.org"}),
    Piece("/users/:id/keys/:key_id", "root", {"title": "A key", "key": ssh_key("two")}),
    Piece("/users/:id/gpg_keys/:key_id", "root", {"key": gpg_key("two")}),
    Piece("/users/:id/emails/:email_id", "root", {"email": "another@example.org", "skip_confirmation": True}),
    Piece("/users/:id/impersonation_tokens/:token_id", "root", {"name": "A token", "scopes": ["api"]}),
    Piece("/users/:id/custom_attributes/:key", "root", {"value": "x"}, put="color"),
    Piece("/groups/:id/custom_attributes/:key", "root", {"value": "x"}, put="color"),
    Piece("/projects/:id/custom_attributes/:key", "root", {"value": "x"}, put="color"),
    Piece("/groups/:id/members/:user_id", "owner", {"user_id": "{blocked.id}", "access_level": 10}),
    Piece("/groups/:id/labels/:label_id", "owner", {"name": "A group label", "color": "red"}),
    Piece("/groups/:id/milestones/:milestone_id", "owner", {"title": "A group milestone"}),
    Piece("/groups/:id/boards/:board_id", "owner", {"name": "A group board"}),
    Piece("/groups/:id/boards/:board_id/lists/:list_id", "owner", {"label_id": "/groups/:/labels/:"}),
    Piece("/projects/:id/labels/:label_id", "reporter", {"name": "A label", "color": "red"}),
    Piece("/projects/:id/milestones/:milestone_id", "developer", {"title": "A milestone"}),
    Piece("/projects/:id/issues/:iid/notes/:note_id", "reporter", {"body": "A note"}),
    Piece("/projects/:id/issues/:iid/discussions/:discussion_id", "reporter", {"body": "A question"}),
    Piece("/projects/:id/issues/:iid/discussions/:discussion_id/notes/:note_id", "developer", {"body": "An answer"}),
    Piece(
        "/projects/:id/snippets/:id", "reporter", {"title": "x", "file_name": "x", "code": "x", "visibility": "private"}
    ),
    Piece("/projects/:id/snippets/:id/notes/:note_id", "reporter", {"body": "A note"}),
    Piece("/projects/:id/boards/:board_id", "master", {"name": "A board"}),
    Piece("/projects/:id/boards/:board_id/lists/:list_id", "master", {"label_id": "/projects/:/labels/:"}),
    Piece("/projects/:id/protected_branches/:name", "master", {"name": "stable"}, key="name"),
    Piece(
        "/projects/:id/issues/:iid/links/:issue_link_id",
        "reporter",
        {"target_project_id": "/projects/:", "target_issue_iid": "{farewell}"},
        key="issue_link_id",
    ),
    Piece("/projects/:id/issues/:iid/award_emoji/:award_id", "developer", {"name": "thumbsup"}),
    Piece("/projects/:id/issues/:iid/notes/:note_id/award_emoji/:award_id", "developer", {"name": "thumbsup"}),
]
"""In the order in which they are made."""


PEOPLE = {
    "/groups/:/access_requests/:": "guest",
    "/groups/:/members/all/:": "inherited",
    "/projects/:/access_requests/:": "guest",
    "/projects/:/members/:": "guest",
    "/projects/:/members/all/:": "inherited",
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
    for below in ("/broadcast_messages/:", "/user/", "/users/:/", "/groups/:/"):
        _make(cast, around, below)
    around["/keys/:"] = around["/user/keys/:"]
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
            maker, said = (
                getattr(cast, piece.by),
                {name: _said(cast, standing, it) for name, it in piece.params.items()},
            )
            made = maker.put(f"{collection}/{piece.put}", **said) if piece.put else maker.post(collection, **said)
            assert made.status in {200, 201}, (collection, made)
            named = made.json if piece.key in made.json else maker.get(collection).json[0]
            standing[shape(piece.path)] = piece.put or named[piece.key]


def _said(cast: Cast, standing: Standing, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return standing[value] if value.startswith("/") else value.format_map(cast.names)


def fill(path: str, standing: Standing) -> str:
    """The path with what stands at each capture; where nothing does, 1."""
    done = here = ""
    for segment in path.strip("/").split("/"):
        here += "/" + shape(segment)
        done += "/" + (str(standing.get(here, 1)) if segment.startswith(":") else segment)
    return done
