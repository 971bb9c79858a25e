"""A project with one commit."""

import pytest


def fill(cast):
    made = cast.owner.post(
        f"/projects/{cast.private.id}/repository/commits", branch="master", commit_message="First",
        actions=[{"action": "create", "file_path": "README.md", "content": "# Otter\n"}],
    )  # fmt: skip
    assert made.status == 201, made
    return made.json["id"]


@pytest.fixture
def begins_with():
    return {"sha": fill}


@pytest.fixture
def sha(stage):
    """The id of the commit of the private project."""
    return stage.made


@pytest.fixture
def here(cast, sha):
    return f"/projects/{cast.private.id}"
