"""Jobs whose runner fell silent, and jobs that no runner takes."""

from datetime import timedelta

import pytest

from mujina.app import build_services
from mujina.ci.language.config import RetryPolicy
from mujina.ci.runner_api.tasks import fail_stuck_jobs
from mujina.kernel import clock
from mujina.kernel.jobs.tasks import Run
from mujina.settings import Settings


@pytest.fixture
def sweep(cast, stage, database):
    """Runs the task: the status of each of these jobs afterward."""
    settings = Settings(data=stage.folder, jobs="inline", password_kilobytes=64)
    services = build_services(settings, database)

    def run(*jobs):
        cast.root.loop.run_until_complete(fail_stuck_jobs(Run(services, 1), ""))
        return [cast.value("SELECT status FROM pipeline_jobs WHERE id = :id", id=job) for job in jobs]

    return run


def queued(cast, job, hours):
    at = clock.later(-timedelta(hours=hours))
    cast.run("UPDATE pipeline_jobs SET queued_at = :at WHERE id = :id", id=job, at=at)
    return job


def test_a_job_whose_runner_fell_silent_fails(cast, new_runner, new_job, sweep):
    runner = new_runner(cast.private)
    for _ in range(2):
        new_job()
    silent, busy = runner.take(), runner.take()
    for job in (silent, busy):
        cast.run(
            "UPDATE pipeline_jobs SET updated_at = :at WHERE id = :id", id=job, at=clock.later(-timedelta(hours=2))
        )
    runner.put(busy, state="running")
    assert sweep(silent, busy) == ["failed", "running"]
    assert (
        cast.value("SELECT failure_reason FROM pipeline_jobs WHERE id = :id", id=silent) == "stuck_or_timeout_failure"
    )
    assert runner.put(silent, state="success").headers["job-status"] == "failed"


def test_another_runner_repeats_a_job_whose_runner_died_and_the_pipeline_ends(cast, new_runner, new_job, sweep):
    new_job(retry=RetryPolicy(max=1))
    attempts = []
    for runner in (new_runner(cast.private), new_runner(cast.private)):
        attempts.append(runner.take())
        cast.run("UPDATE pipeline_jobs SET updated_at = '2018' WHERE id = :id", id=attempts[-1])
        assert sweep(attempts[-1]) == ["failed"]
    assert len(set(attempts)) == 2
    assert cast.rows("SELECT status FROM pipelines") == [("failed",)]
    assert new_runner(cast.private).take() is None


def test_a_job_fails_after_a_day_of_waiting(cast, new_runner, new_job, sweep):
    assert new_runner(cast.private).take() is None
    jobs = [queued(cast, new_job(), hours) for hours in (23, 25)]
    assert sweep(*jobs) == ["pending", "failed"]


def test_a_job_that_no_runner_may_take_fails_after_an_hour(cast, new_runner, new_job, sweep):
    for settings in ({"tag_list": "ruby"}, {"tag_list": "go", "access_level": "ref_protected"}):
        assert new_runner(cast.private, **settings).take() is None
    new_runner(tag_list="never-asked")
    jobs = [
        queued(cast, new_job(tags=["ruby"]), 2),  # the first runner may take it
        queued(cast, new_job(tags=["go"], protected=True), 2),  # the second may
        queued(cast, new_job(tags=["go"]), 2),
        queued(cast, new_job(tags=["go"]), 0),  # a runner may come
        queued(cast, new_job(tags=["never-asked"]), 2),
        queued(cast, new_job(cast.public), 2),  # another project
    ]
    assert sweep(*jobs) == ["pending", "pending", "failed", "pending", "failed", "failed"]
