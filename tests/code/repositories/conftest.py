"""A project with a small history, made through the API by its owner."""

import shutil

import pytest


class Code:
    """Paths of the repository of one project, and shorthands for its first steps."""

    def __init__(self, cast):
        self.cast = cast
        self.project = cast.owner.post("/projects", name="code", namespace_id=cast.team.id, visibility="private").json
        self.path = f"/projects/{self.project['id']}"
        self.at = f"{self.path}/repository"

    def commit(self, branch="master", person=None, message="more", **files):
        """Files by name; None deletes."""
        actions = [
            {"action": "create", "file_path": name.replace("__", "/"), "content": content}
            for name, content in files.items()
        ]
        who = person or self.cast.owner
        return who.post(f"{self.at}/commits", branch=branch, commit_message=message, actions=actions)


@pytest.fixture
def empty(cast, stage):
    # The rows of the last test are rolled back and their ids used again; its repositories must go too.
    shutil.rmtree(stage.folder / "repositories", ignore_errors=True)
    return Code(cast)


@pytest.fixture
def code(empty):
    made = empty.commit(message="First\n\nwith a body", README="hello\n", src__main="print()\n")
    assert made.status == 201, made
    empty.first = made.json["id"]
    return empty
