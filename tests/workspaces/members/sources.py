"""Groups and projects: each test of members runs for both."""

import pytest

both = pytest.mark.parametrize("place", ["groups", "projects"])


def at(cast, place):
    """The address of a group or project whose only member is `owner`."""
    if place == "groups":
        made = cast.owner.post("/groups", name="place", path="place", visibility="public", request_access_enabled=True)
    else:
        made = cast.owner.post("/projects", name="place", visibility="public", request_access_enabled=True)
    assert made.status == 201, made
    return f"/{place}/{made.json['id']}"


def people(answer):
    assert answer.status == 200, answer
    return [each["username"] for each in answer.json]
