"""Commits for texts to name."""

import pytest


@pytest.fixture
def commit_in(cast):
    """Makes a commit on `master`, and one on `change`; its id."""

    def make(project):
        here = f"/projects/{project.id}/repository/commits"
        action = {"action": "create", "file_path": "a", "content": "a"}
        first = cast.owner.post(here, branch="master", commit_message="First", actions=[action])
        assert first.status == 201, first
        action = {"action": "update", "file_path": "a", "content": "b"}
        cast.owner.post(here, branch="change", start_branch="master", commit_message="Next", actions=[action])
        return first.json["id"]

    return make
