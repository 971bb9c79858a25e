"""A project whose jobs a runner of the tests takes, with the requests that the runner sends."""

from mujina.app import build_services
from mujina.app import runner as task_runner
from mujina.ci.jobs import operations as jobs
from mujina.settings import Settings
from tests.ci.pipelines.conftest import Ci
from tests.harness.client import Raw
from tests.harness.pipeline_jobs import start_job

FILE = """\
compile: {stage: build, script: make, coverage: '/lines (\\d+\\.\\d+)%/', artifacts: {paths: [out]}}
check: {stage: test, script: check}
"""


class RunnerCi(Ci):
    """The project as one of the cast sees it, and the job `compile` as its runner does."""

    def __init__(self, cast):
        super().__init__(cast)
        self.file(FILE)


class Runner:
    """The runner that has taken a job."""

    def __init__(self, ci, cast, folder, name="compile", *, retry=False):
        self.ci, self.cast = ci, cast
        self.services = build_services(Settings(data=folder, jobs="inline"), cast.database)
        self.vault = self.services.vault
        self.job = ci.job(name)["id"]
        if retry:
            self.job = cast.owner.post(f"{ci.path}/jobs/{self.job}/retry").json["id"]
        self.token = start_job(cast, self.vault, self.job)
        self.path = f"{ci.path}/jobs/{self.job}"

    def headers(self, **more):
        return {"JOB-TOKEN": self.token, **{name.replace("_", "-"): value for name, value in more.items()}}

    def patch(self, start, data, end=None, **headers):
        """Send a piece of the trace."""
        sent = self.headers(Content_Range=f"{start}-{start + len(data) if end is None else end}") | headers
        return self.cast.anonymous.patch(f"/jobs/{self.job}/trace", Raw(body=data, type="text/plain", headers=sent))

    def trace(self, person="owner", **headers):
        asked = Raw(headers={name.replace("_", "-"): value for name, value in headers.items()})
        return getattr(self.cast, person).get(f"{self.path}/trace", asked)

    def upload(self, content, name="artifacts.zip", query="", **fields):
        raw = Raw.multipart({"file": (name, content)}, **fields)
        sent = Raw(query=query, body=raw.body, type=raw.type, headers=self.headers())
        return self.cast.anonymous.post(f"/jobs/{self.job}/artifacts", sent)

    def finish(self, outcome="success", reason=None):
        return self.cast.transact(lambda tx: jobs.finish(tx, self.job, outcome, reason))

    def work(self):
        """Let the tasks of the instance run that are due."""
        self.cast.root.loop.run_until_complete(task_runner(self.services).drain())

    def pass_time(self):
        """Ten minutes and more are over: what was to come is due."""
        self.cast.run("UPDATE jobs SET ready_at = '2018-01-01T00:00:00.000Z' WHERE leased_by IS NULL")
        self.cast.run("UPDATE pipeline_jobs SET finished_at = '2018-01-01T00:00:00.000Z' WHERE finished_at IS NOT NULL")
        self.work()
