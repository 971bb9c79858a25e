"""A private project with a CI file that includes another file, and a project beside it."""

from copy import copy

import pytest

from tests.harness.creation import make_project

MAIN = """\
include: [/ci/shared.yml, {project: company/department/team/library, file: jobs.yml}]
stages: [build, test]
rspec: {extends: .ruby, stage: test, only: [master]}
release: {script: make, only: [tags]}
docker: {script: docker build, rules: [{exists: [Dockerfile]}]}
"""
SHARED = ".ruby: {image: ruby, script: [bundle]}\n"
LIBRARY = "compile: {script: make, stage: build}\n"


class Code:
    def __init__(self, cast):
        self.cast = cast
        self.id = self._project("code", **{".gitlab-ci.yml": MAIN, "ci/shared.yml": SHARED, "Dockerfile": "FROM x\n"})
        self.library = self._project("library", **{"jobs.yml": LIBRARY})
        self.lint = f"/projects/{self.id}/ci/lint"

    def _project(self, name, **files):
        project = make_project(self.cast.owner, name, namespace_id=self.cast.team.id, visibility="private")
        for person, level in ((self.cast.developer, 30), (self.cast.reporter, 20)):
            self.cast.owner.post(f"/projects/{project['id']}/members", user_id=person.id, access_level=level)
        self.commit(project["id"], **files)
        return project["id"]

    def commit(self, project, branch="master", **files):
        actions = [{"action": "create", "file_path": path, "content": text} for path, text in files.items()]
        start = {} if branch == "master" else {"start_branch": "master"}
        made = self.cast.owner.post(
            f"/projects/{project}/repository/commits", branch=branch, commit_message="more", actions=actions, **start
        )
        assert made.status == 201, made

    def seen_by(self, cast):
        made = copy(self)
        made.cast = cast
        return made

    def __getstate__(self):
        return {**self.__dict__, "cast": None}


@pytest.fixture
def begins_with():
    return {"code": Code}


@pytest.fixture
def code(cast, stage):
    return stage.made.seen_by(cast)
