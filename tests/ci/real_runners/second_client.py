"""Plays a runner by `gitlab-runner-api`: registers, takes a job, reports it as failed. Runs in the environment of runners."""

import sys

from gitlab_runner_api import Runner, failure_reasons  # pyright: ignore[reportMissingImports] - in the environment of runners

url, token = sys.argv[1:]
runner = Runner.register(url, token, description="second", tags=["second"], run_untagged=False)
job = runner.request_job()
assert runner.request_job() is None
sys.stdout.write(f"{job.name} {job.ref} {job.commit_sha}\n")
job.log += "half way\n"
job.log += "failed\n"
job.set_failed(failure_reasons.ScriptFailure())
