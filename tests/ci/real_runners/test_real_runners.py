"""Programs that others wrote for the family's server: they register, take jobs, execute and report them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import gitlab
import pytest

RUNNERS = Path(sys.prefix) / "runners" / "bin"
CONFIG = """\
stages: [build, test]
build:
  stage: build
  tags: [python]
  script: ["echo made at $CI_COMMIT_REF_NAME > made.txt"]
  artifacts: {paths: [made.txt]}
check:
  stage: test
  tags: [python]
  coverage: /Covered (\\d+)%/
  script: ["cat made.txt", "echo Covered 87%", "echo token=$CI_JOB_TOKEN"]
refuse:
  stage: test
  tags: [second]
  allow_failure: true
  script: ["false"]
"""


@pytest.fixture
def project(running_server):
    with gitlab.Gitlab(running_server.url, private_token=running_server.token) as client:
        project = client.projects.create({"name": "story"})
        actions = [{"action": "create", "file_path": ".gitlab-ci.yml", "content": CONFIG}]
        project.commits.create({"branch": "master", "commit_message": "Build", "actions": actions})
        yield project


def execute(folder, *command):
    assert RUNNERS.exists(), "make .venv/runners/installed"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        [str(RUNNERS / "python"), *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def status_of(project, name):
    return {job.name: job.status for job in project.jobs.list(all=True)}.get(name)


@pytest.mark.long(20)
def test_runners_of_others_execute_a_pipeline(running_server, project, tmp_path):
    folder = tmp_path / "runner"
    folder.mkdir()
    url, token = running_server.url, project.runners_token
    runner = (str(RUNNERS / "gitlab-runner.py"), "--start", "gitlab-runner.yml", "--once")
    execute(folder, str(RUNNERS / "gitlab-runner.py"), "--register", url, "--regtoken", token, "--tag", "python")
    wait_for(lambda: status_of(project, "build") == "pending")
    execute(folder, *runner)
    assert status_of(project, "build") == "success"
    wait_for(lambda: status_of(project, "check") == "pending")
    execute(folder, *runner)
    trace = next(job for job in project.jobs.list(all=True) if job.name == "check").trace().decode()
    assert "made at master" in trace
    assert "token=xxxx" in trace
    said = execute(folder, str(Path(__file__).with_name("second_client.py")), url, token)
    assert said.split()[:2] == ["refuse", "master"]
    wait_for(lambda: project.pipelines.list()[0].status == "success")
    jobs = {job.name: job for job in project.jobs.list(all=True)}
    assert [jobs[name].status for name in ("build", "check", "refuse")] == ["success", "success", "failed"]
    assert jobs["refuse"].failure_reason == "script_failure"
    assert jobs["refuse"].trace().endswith(b"half way\nfailed\n")
    wait_for(lambda: project.jobs.get(jobs["check"].id).coverage == 87)
    assert project.artifacts.raw("master", "made.txt", "build") == b"made at master\n"
    assert [each.description for each in project.runners.list(scope="online")][-1:] == ["second"]
    execute(folder, str(RUNNERS / "gitlab-runner.py"), "--unregister")
    assert len(project.runners.list()) == 1
