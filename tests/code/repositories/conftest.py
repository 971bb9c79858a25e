"""A project with a small history, made through the API by its owner."""

from copy import copy

import pytest

from tests.harness.creation import make_project


class Code:
    """Paths of the repository of one project, and shorthands for its first steps."""

    def __init__(self, cast):
        self.cast = cast
        self.project = make_project(cast.owner, "code", namespace_id=cast.team.id, visibility="private")
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

    def with_first_commit(self):
        made = self.commit(message="First\n\nwith a body", README="hello\n", src__main="print()\n")
        assert made.status == 201, made
        self.first = made.json["id"]
        return self

    def seen_by(self, cast):
        """This project, for the cast of another application."""
        made = copy(self)
        made.cast = cast
        return made

    def __getstate__(self):
        return {**self.__dict__, "cast": None}


def create_code(cast):
    return Code(cast).with_first_commit()


@pytest.fixture
def begins_with():
    return {"code": create_code, "empty": Code}


@pytest.fixture
def empty(cast, stage):
    return stage.made.seen_by(cast)


@pytest.fixture
def code(cast, stage):
    return stage.made.seen_by(cast)
