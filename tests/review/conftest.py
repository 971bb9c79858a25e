"""A project with branches to merge, made through the API, and a fork of it."""

from copy import copy

import pytest

from tests.harness.client import Answer
from tests.harness.creation import make_project


class Repository:
    """The paths of a project, and shorthands for commits and requests."""

    def __init__(self, cast, project):
        self.cast = cast
        self.project = project
        self.id = project["id"]
        self.path = f"/projects/{self.id}"
        self.requests = f"{self.path}/merge_requests"
        self.first = self.topic = ""

    def commit(self, branch="master", person=None, message="more", start_branch=None, action="create", **files) -> str:
        """The id of a commit with these files."""
        actions = [
            {"action": action, "file_path": name.replace("__", "/"), "content": content}
            for name, content in files.items()
        ]
        started = {} if start_branch is None else {"start_branch": start_branch}
        answer = (person or self.cast.owner).post(
            f"{self.path}/repository/commits", branch=branch, commit_message=message, actions=actions, **started
        )
        assert answer.status == 201, answer
        return answer.json["id"]

    def branch(self, name, message="work", **files) -> str:
        """A branch from master with one commit more."""
        return self.commit(name, message=message, start_branch="master", **files)

    def tip(self, branch="master") -> str:
        return self.cast.owner.get(f"{self.path}/repository/branches/{branch}").json["commit"]["id"]

    def seen_by(self, cast) -> "Repository":
        """This project, for the cast of another application."""
        made = copy(self)
        made.cast = cast
        return made

    def __getstate__(self):
        return {**self.__dict__, "cast": None}

    def open(self, person=None, **params) -> Answer:
        """Ask for a request from topic to master."""
        given = {"title": "Merge me", "source_branch": "topic", "target_branch": "master", **params}
        return (person or self.cast.developer).post(self.requests, **given)


@pytest.fixture
def begins_with():
    return {"code": create_code}


@pytest.fixture
def code(cast, stage):
    """A public project with the branches master and topic; the cast are its members through its group."""
    return stage.made.seen_by(cast)


def create_code(cast) -> Repository:
    project = make_project(cast.owner, "code", namespace_id=cast.team.id, visibility="public")
    for name, level in (("master", 40), ("developer", 30), ("reporter", 20), ("guest", 10)):
        cast.owner.post(f"/projects/{project['id']}/members", user_id=getattr(cast, name).id, access_level=level)
    made = Repository(cast, project)
    made.first = made.commit(message="First", README="hello\n")
    made.topic = made.branch("topic", topic="text\n")
    return made


@pytest.fixture
def fork(cast, code):
    """A fork of the project by a stranger."""
    project = cast.stranger.post(f"{code.path}/fork").json
    return Repository(cast, project)
