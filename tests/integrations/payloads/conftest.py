"""What the tests of payloads share."""

import pytest


@pytest.fixture
def repository(hooks):
    """The path of the private project's repository, and a function that commits files through the API."""
    cast = hooks.cast
    path = f"/projects/{cast.private.id}/repository"

    def commit(branch, *actions, **more):
        given = [{"action": action, "file_path": name, "content": "x", **extra} for action, name, extra in actions]
        made = cast.master.post(f"{path}/commits", branch=branch, commit_message="Change", actions=given, **more)
        assert made.status == 201, made
        return made.json["id"]

    return path, commit
