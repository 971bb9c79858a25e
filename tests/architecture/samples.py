"""What each route is told so that only the caller decides the answer. A new route joins by itself, with plain values;
what it needs better values for is said here, and what its path points at in `tests/harness/furniture.py`."""

from typing import Any

from mujina.kernel.params import fields_of
from mujina.kernel.routing import Route
from tests.harness.cast import Cast
from tests.harness.public_keys import gpg_key, ssh_key

PARAMS: dict[str, Any] = {
    "DELETE /groups/:id/labels name": "A group label",
    "DELETE /projects/:id/labels name": "A label",
    "POST /projects/:id/issues/:issue_iid/move to_project_id": "{public.id}",
    "PUT /groups/:id/labels name": "A group label",
    "PUT /projects/:id/labels name": "A label",
    "color": "red",
    "duration": "1h",
    "POST /projects/:id/issues/:noteable_id/award_emoji name": "heart",
    "POST /projects/:id/issues/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /projects/:id/snippets/:noteable_id/award_emoji name": "heart",
    "POST /projects/:id/snippets/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /groups/:id/members user_id": "{stranger.id}",
    "POST /projects/:id/issues/:issue_iid/links target_issue_iid": "{confidential}",
    "POST /projects/:id/issues/:issue_iid/links target_project_id": "{private.id}",
    "POST /projects/:id/members user_id": "{stranger.id}",
    "POST /user/gpg_keys key": gpg_key("three"),
    "POST /user/keys key": ssh_key("three"),
    "POST /users/:id/gpg_keys key": gpg_key("three"),
    "POST /users/:id/keys key": ssh_key("three"),
    "PUT /groups/:id/boards/:board_id/lists/:list_id position": 0,
    "PUT /projects/:id/boards/:board_id/lists/:list_id position": 0,
    "access_level": 30,
    "deny_delete_tag": True,
    "email": "somebody@example.org",
    "expires_at": "2999-12-31",
    "POST /users reset_password": True,
    "redirect_uri": "https://example.org/back",
    "username": "somebody",
}
"""A parameter of a certain route → what is said there; a parameter → what is said where it must be given. What else
must be given is a plain word or 1."""


def params(route: Route, cast: Cast) -> dict[str, Any]:
    """The least that may be said."""
    said: dict[str, Any] = {}
    for declared in route.params.values():
        for field in fields_of(declared):
            named = f"{route.verb} {route.path} {field.name}" in PARAMS
            if (
                named or field.required or field.name in declared.at_least_one_of[:1]
            ) and f":{field.name}" not in route.segments:
                said[field.name] = _sample(f"{route.verb} {route.path}", field.name, field.form.schema, cast)
    return said


def _sample(route: str, name: str, schema: Any, cast: Cast) -> Any:
    plain = schema["enum"][0] if "enum" in schema else 1 if schema.get("type") == "integer" else "sample"
    value = PARAMS.get(f"{route} {name}", PARAMS.get(name, plain))
    return value.format_map(cast.names) if isinstance(value, str) else value
