"""The life of a pipeline with a runner that others wrote. `test_real_runners.py` runs this file in a network namespace that
has only loopback, on SQLite and in the long form on PostgreSQL as well; its tests tell one story and run in their order.
"""

import os
import re
import shlex
import socket
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import gitlab
import pytest

from mujina.kernel.db.transaction import Tx
from tests.ci.real_runners.environment import TOKENS, expected_environment
from tests.ci.real_runners.programs import WIRE, FamilyRunner, Program, PythonRunner
from tests.harness.canaries import CANARIES
from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer
from tests.serve.wire import PATIENCE

assert [name for _, name in socket.if_nameindex()] == ["lo"], "run me through test_real_runners.py: I need to be alone"

THOROUGH = bool(os.environ["STORY_THOROUGH"])
FAMILY = tuple(shlex.split(os.environ["STORY_COMMAND"]))
"""The command of the family's own runner; empty: `gitlab-python-runner` plays the story."""
PORT = 8000
"""Nobody else is in this network: the server has the same address after it was killed."""
FILE = Path(__file__).with_name("story.gitlab-ci.yml")
LONG_AGO = "2018-01-01T00:00:00.000Z"


class Story:
    """A project, the runner that works for it, and a folder whose files let its scripts go on."""

    sha: str
    message = "Build, check and announce"

    def __init__(self, server: RunningServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.client = gitlab.Gitlab(server.url, private_token=server.token, retry_transient_errors=True)
        self.project = self.client.projects.create({"name": "story"})
        self.gates = folder / "gates"
        self.gates.mkdir()
        self.project.variables.create({"key": "GATES", "value": str(self.gates)})
        self.project.variables.create({"key": "LEVEL", "value": "of-the-project"})
        self.runner = self.new_runner()
        self.others: list[Program] = []

    def new_runner(self) -> PythonRunner | FamilyRunner:
        place = (self.folder / "runner", self.server.url, self.client.projects.get(self.project.id))
        return FamilyRunner(FAMILY, *place, "story", "stoppable") if FAMILY else PythonRunner(*place, "story")

    def close(self) -> None:
        """Leave no process behind, also in the middle of the story."""
        for gate in ("begun", "grown", "killed", "revived", "stopped"):
            self.open_gate(gate)
        for program in (self.runner, *self.others):
            program.stop()
        self.client.session.close()

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        names = {
            f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
        }
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_TERMINAL_PROMPT": "0", **names}
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=False, capture_output=True, text=True, timeout=180
        )  # fmt: skip

    def address(self, user: str, token: str) -> str:
        return f"{self.server.url.replace('//', f'//{user}:{token}@')}/{self.project.path_with_namespace}.git"

    def open_gate(self, name: str) -> None:
        (self.gates / name).touch()

    def is_open(self, name: str) -> bool:
        return (self.gates / name).exists()

    def job(self, name: str) -> Any:
        """The newest job of this name; None if there is none."""
        return next((job for job in self.project.jobs.list(iterator=True) if job.name == name), None)

    def in_status(self, name: str, *statuses: str) -> Any:
        """The newest job of this name, as soon as it has one of these statuses."""
        return until(lambda: (job := self.job(name)) and job.status in statuses and job)

    def execute(self, name: str, status: str = "success") -> Any:
        """Let the runner execute the job, which is pending soon: the job when it is over."""
        self.in_status(name, "pending", "running")
        self.runner.take_job()
        over = self.in_status(name, status)
        self.runner.end_job()
        return over

    def trace(self, job: Any) -> str:
        return self.project.jobs.get(job.id).trace().decode()


def until(condition: Callable[[], Any]) -> Any:
    """What the condition returns, as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
    return found


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    server = RunningServer(folder / "data", os.environ["STORY_DATABASE_URL"], port=PORT)
    server.start()
    try:
        story = Story(server, folder)
        yield story
        story.close()
    finally:
        server.kill()
    assert CANARIES.settle() == []


def test_a_runner_takes_the_first_job_of_a_push_and_its_trace_grows(story):
    story.git("init", "--quiet", "--initial-branch", "master")
    (story.folder / ".gitlab-ci.yml").write_text(FILE.read_text())
    story.git("add", ".gitlab-ci.yml")
    story.git("commit", "--quiet", "--message", story.message)
    story.sha = story.git("rev-parse", "HEAD").stdout.strip()
    pushed = story.git("push", story.address("root", story.server.token), "master")
    assert pushed.returncode == 0, pushed.stderr
    story.in_status("build", "pending", "running")
    story.runner.take_job()
    job = story.in_status("build", "running")
    until(lambda: "begun" in story.trace(job))
    assert "grown" not in story.trace(job)
    story.open_gate("begun")
    until(lambda: "grown" in story.trace(job))
    assert story.job("build").status == "running"
    assert story.project.pipelines.get(job.pipeline["id"]).status == "running"
    story.open_gate("grown")
    over = story.in_status("build", "success")
    story.runner.end_job()
    assert "after build" in story.trace(over)
    waited = datetime.fromisoformat(over.started_at) - datetime.fromisoformat(over.created_at)
    assert not THOROUGH or waited.total_seconds() < 10


def test_the_second_job_gets_the_artifact_and_its_second_attempt_succeeds(story):
    story.in_status("check", "pending", "running")
    story.runner.take_job()
    until(lambda: story.is_open("failed"))
    story.runner.end_job()
    second = story.execute("check")
    [_, first] = [job for job in story.project.jobs.list(iterator=True) if job.name == "check"]
    assert (first.status, second.status) == ("failed", "success")
    for job in (first, second):
        assert "made at master" in story.trace(job)
        assert "after check" in story.trace(job)


def test_the_printed_environment_equals_the_table(story):
    job = story.job("check")
    printed = re.search(r"ENVIRONMENT BEGINS\n(.*)ENVIRONMENT ENDS", story.trace(job), re.DOTALL)
    assert printed is not None
    found: dict[str, str] = dict(re.findall(r"^(\w+)=(.*)$", printed[1], re.MULTILINE))
    token = (story.gates / "token").read_text().strip()
    assert {name: found.pop(name) for name in TOKENS} == {
        name: "x" * len(text.format(token=token)) for name, text in TOKENS.items()
    }
    assert token not in story.trace(job)
    expected = expected_environment(story, job)
    if story.runner.adds is None:
        found = {name: value for name, value in found.items() if name in expected}
    else:
        found = {name: value for name, value in found.items() if name not in story.runner.adds}
    assert found == expected


def test_the_pipeline_the_deployment_and_the_statuses_follow(story):
    second = Program(story.folder / "second")
    url, token = story.server.url, story.client.projects.get(story.project.id).runners_token
    said = second.run(str(Path(__file__).with_name("second_client.py")), url, token)
    assert f"refuse master {story.sha}" in said
    refused = story.in_status("refuse", "failed")
    assert refused.failure_reason == "script_failure"
    assert story.trace(refused).endswith("half way\nfailed\n")
    until(lambda: story.project.pipelines.list(ref="master")[0].status == "success")
    until(lambda: story.job("check").coverage == 87)
    [deployment] = until(lambda: story.project.deployments.list(get_all=True))
    assert (deployment.ref, deployment.sha, deployment.deployable["name"]) == ("master", story.sha, "check")
    environment = story.project.environments.get(deployment.environment["id"])
    assert environment.name == "review/master"
    assert environment.external_url == f"https://{environment.slug}.example.com"
    commit = story.project.commits.get(story.sha)
    assert (commit.status, commit.last_pipeline["status"]) == ("success", "success")
    statuses = {(status.name, status.status) for status in commit.statuses.list(get_all=True)}
    assert {("build", "success"), ("check", "success"), ("refuse", "failed")} <= statuses


def test_a_manual_job_is_played(story):
    assert story.job("announce").status == "manual"
    story.job("announce").play()
    played = story.execute("announce")
    assert "announced by hand=true" in story.trace(played)
    until(lambda: story.project.pipelines.list(ref="master")[0].status == "success")


def test_a_job_that_is_canceled_in_mid_run_stops_its_runner(story):
    """`gitlab-python-runner` looks at no `Job-Status`: where it plays the story, another runner takes this job."""
    story.project.branches.create({"branch": "later", "ref": "master"})
    if not FAMILY:
        place = (story.folder / "stoppable", story.server.url, story.project)
        story.others.append(FamilyRunner(WIRE, *place, "stoppable"))
    pipeline = story.project.pipelines.create({"ref": "later"})
    job = story.in_status("endless", "running")
    until(lambda: "still here" in story.trace(job))
    process = Path("/proc") / (story.gates / "endless").read_text().strip()
    assert process.exists()
    began = time.monotonic()
    job.cancel()
    until(lambda: not process.exists())
    assert not THOROUGH or time.monotonic() - began < 5
    until(lambda: story.project.pipelines.get(pipeline.id).status == "canceled")
    assert story.job("endless").status == "canceled"


def test_a_triggered_job_outlives_a_killed_server_without_losing_a_line(story):
    trigger = story.project.triggers.create({"description": "story"})
    story.project.trigger_pipeline("later", trigger.token, variables={"GREETING": "good-morning"})
    story.in_status("tell", "pending", "running")
    story.runner.take_job()
    job = story.in_status("tell", "running")
    until(lambda: "half way" in story.trace(job))
    make_schedule(story)
    story.server.kill()
    story.open_gate("killed")
    until(lambda: story.is_open("away"))
    if not THOROUGH:
        in_transaction(story.server.database_url, let_time_pass)
    story.server.start()
    story.open_gate("revived")
    until(lambda: story.project.jobs.get(job.id).status == "success")
    story.runner.end_job()
    until(lambda: story.project.pipelines.get(job.pipeline["id"]).status == "success")
    trace = story.trace(job)
    assert "good-morning from trigger triggered=true" in trace
    [count] = re.findall(r"^(\d+) lines while it was away$", trace, re.MULTILINE)
    assert re.findall(r"^before (\d+)", trace, re.MULTILINE) == [str(number) for number in range(1, 51)]
    assert re.findall(r"^away (\d+)", trace, re.MULTILINE) == [str(number) for number in range(1, int(count) + 1)]


async def let_time_pass(tx: Tx) -> None:
    """While the server is away: every schedule is due when it starts."""
    await tx.run("UPDATE pipeline_schedules SET next_run_at = :then", then=LONG_AGO)
    await tx.run("UPDATE schedules SET next_at = :then WHERE task = 'schedules.start_due'", then=LONG_AGO)


def make_schedule(story: Story) -> None:
    """Due in a minute, or on a far day that the test brings near."""
    cron = "* * * * *" if THOROUGH else "0 4 1 1 *"
    made = story.project.pipelineschedules.create({"description": "story", "ref": "later", "cron": cron})
    made.variables.create({"key": "GREETING", "value": "good-evening"})


def test_a_schedule_that_is_due_starts_a_pipeline(story):
    started = until(lambda: [each for each in story.project.pipelines.list(ref="later") if each.source == "schedule"])
    [schedule] = story.project.pipelineschedules.list(get_all=True)
    schedule.active = False
    schedule.save()
    job = story.execute("tell")
    assert "good-evening from schedule triggered=\n" in story.trace(job)
    until(lambda: story.project.pipelines.get(started[-1].id).status == "success")
    assert schedule.next_run_at > job.created_at


def test_afterward_the_token_clones_nothing_and_the_artifact_downloads(story):
    token = (story.gates / "token").read_text().strip()
    cloned = story.git("clone", story.address("gitlab-ci-token", token), "clone")
    assert cloned.returncode != 0
    assert not (story.folder / "clone").exists()
    assert story.git("clone", story.address("root", story.server.token), "clone").returncode == 0
    assert story.project.artifacts.raw("master", "made.txt", "build") == b"made at master\n"
    before = len(story.project.runners.list(get_all=True))
    story.runner.unregister()
    assert len(story.project.runners.list(get_all=True)) == before - 1
