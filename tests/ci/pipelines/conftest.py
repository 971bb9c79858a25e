"""A project with a CI file of two stages, whose every push makes a pipeline."""

from copy import copy

import pytest

from mujina.ci.jobs import operations as jobs
from mujina.kernel.secrets import Vault, new_key
from tests.harness.pipeline_jobs import start_job

FILE = """\
stages: [build, test, deploy]
compile: {stage: build, script: make}
rspec: {stage: test, script: [bundle, rspec], tags: [ruby, linux], variables: {A: b}}
lint: {stage: test, script: lint, allow_failure: true}
release: {stage: deploy, script: ship, when: manual, environment: {name: production/$CI_COMMIT_REF_NAME}}
"""


class Ci:
    """The project as one of the cast sees it."""

    def __init__(self, cast):
        self.cast = cast
        project = cast.owner.post("/projects", name="built", namespace_id=cast.team.id, visibility="private").json
        self.id = project["id"]
        self.path = f"/projects/{self.id}"
        self.sha = self.commit(**{".gitlab-ci.yml": FILE})

    def commit(self, branch="master", message="more", action="create", **files):
        actions = [{"action": action, "file_path": path, "content": text} for path, text in files.items()]
        start = {} if branch == "master" else {"start_branch": "master"}
        made = self.cast.owner.post(
            f"{self.path}/repository/commits", branch=branch, commit_message=message, actions=actions, **start
        )
        assert made.status == 201, made
        return made.json["id"]

    def file(self, text, **params):
        """Replace the CI file: the jobs of the pipeline that the push makes."""
        self.commit(action="update", **{".gitlab-ci.yml": text}, **params)
        return self.jobs()

    @property
    def pipelines(self):
        return self.cast.owner.get(f"{self.path}/pipelines").json

    def jobs(self, pipeline=None, **params):
        """The jobs of a pipeline, by default of the newest one, in the order of the file."""
        pipeline = pipeline or self.pipelines[0]["id"]
        found = self.cast.owner.get(f"{self.path}/pipelines/{pipeline}/jobs", per_page=100, **params)
        return sorted(found.json, key=lambda job: job["id"])

    def job(self, name, pipeline=None):
        """The newest job of this name."""
        return next(job for job in reversed(self.jobs(pipeline)) if job["name"] == name)

    def statuses(self, pipeline=None):
        return {job["name"]: job["status"] for job in self.jobs(pipeline)}

    def status(self, pipeline=None):
        pipeline = pipeline or self.pipelines[0]["id"]
        return self.cast.owner.get(f"{self.path}/pipelines/{pipeline}").json["status"]

    def start(self, name, pipeline=None):
        job_id = self.job(name, pipeline)["id"]
        vault = Vault(new_key())
        assert start_job(self.cast, vault, job_id)
        return job_id

    def finish(self, name, outcome="success", reason=None, *, start=True, **more):
        """A runner takes the job and reports how it ended."""
        job_id = self.start(name) if start else self.job(name)["id"]
        return self.cast.transact(lambda tx: jobs.finish(tx, job_id, outcome, reason, **more))

    def seen_by(self, cast):
        made = copy(self)
        made.cast = cast
        return made

    def __getstate__(self):
        return {**self.__dict__, "cast": None}


def add_members(ci):
    """A guest, a reporter and a developer of the project."""
    for person, level in ((ci.cast.guest, 10), (ci.cast.reporter, 20), (ci.cast.developer, 30)):
        assert ci.cast.owner.post(f"{ci.path}/members", user_id=person.id, access_level=level).status == 201


@pytest.fixture
def begins_with():
    return {"ci": Ci}
