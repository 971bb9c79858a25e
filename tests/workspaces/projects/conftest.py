"""Projects with something in their repositories."""

import pytest


@pytest.fixture
def clean(stage):
    """The rows of the last test are rolled back and their ids used again: what it left on disk must go too."""
    stage.forget_stored()


@pytest.fixture
def filled(cast, clean):
    """Puts a first commit into one of the cast's projects."""

    def fill(project, *branches):
        at = f"/projects/{project.id}/repository"
        actions = [{"action": "create", "file_path": "README", "content": f"of {project.path}\n"}]
        made = cast.owner.post(f"{at}/commits", branch="master", commit_message="First", actions=actions)
        assert made.status == 201, made
        for branch in branches:
            assert cast.owner.post(f"{at}/branches", branch=branch, ref="master").status == 201
        assert cast.owner.post(f"{at}/tags", tag_name="v1", ref="master").status == 201
        return project

    return fill
