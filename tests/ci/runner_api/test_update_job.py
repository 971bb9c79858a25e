"""PUT /jobs/:id."""

import pytest

from tests.harness.statements import statements

DRAINING = 8
"""Statements that find nothing to do: tests drain the queue after each request that enqueued a job."""


@pytest.fixture
def taken(cast, new_runner, new_job):
    """A runner and the job that it executes."""
    new_job()
    runner = new_runner(cast.private)
    return runner, runner.take()


def stored(cast, job):
    return cast.rows("SELECT status, failure_reason, exit_code FROM pipeline_jobs WHERE id = :id", id=job)[0]


@pytest.mark.parametrize(("report", "expected"), [
    ({"state": "success"}, ("success", None, None)),
    ({"state": "failed"}, ("failed", "unknown_failure", None)),
    ({"state": "failed", "failure_reason": "script_failure", "exit_code": 3}, ("failed", "script_failure", 3)),
    ({"state": "failed", "failure_reason": "job_canceled"}, ("failed", "unknown_failure", None)),
    ({"state": "running"}, ("running", None, None)),
    ({"state": "sleeping"}, ("running", None, None)),
    ({}, ("running", None, None)),
])  # fmt: skip
def test_the_report_of_a_runner_sets_the_state_of_its_job(cast, taken, report, expected):
    runner, job = taken
    answer = runner.put(job, info={"version": "10.5.0"}, **report)
    assert (answer.status, answer.headers["job-status"]) == (200, expected[0])
    assert stored(cast, job) == expected


def test_taking_and_ending_a_job_cost_few_statements(cast, new_runner, new_jobs):
    new_jobs(*({"name": f"job {n}"} for n in range(4)), stage_index=1)
    runner = new_runner(cast.private)
    first = runner.take()
    with statements(cast.database) as used:
        job = runner.take()
    assert used.count <= 12
    runner.put(first, state="success")
    with statements(cast.database) as used:
        assert runner.put(job, state="success").status == 200
    assert used.count <= 7 + DRAINING


def test_a_heartbeat_is_stored(cast, taken):
    runner, job = taken
    cast.run("UPDATE pipeline_jobs SET updated_at = '2018' WHERE id = :id", id=job)
    runner.put(job, state="running")
    assert cast.value("SELECT updated_at FROM pipeline_jobs WHERE id = :id", id=job) > "2018-01"


def test_a_late_report_leaves_a_job_that_is_over(cast, taken):
    runner, job = taken
    cast.run("UPDATE pipeline_jobs SET status = 'canceled', finished_at = :now WHERE id = :id", id=job, now="2999")
    answer = runner.put(job, state="failed", failure_reason="script_failure")
    assert (answer.status, answer.headers["job-status"]) == (200, "canceled")
    assert stored(cast, job)[0] == "canceled"


@pytest.mark.parametrize(("change", "reason"), [
    ("status = 'success', finished_at = '2018'", "403 Forbidden - Job is not running!"),
    ("erased_at = '2018'", "403 Forbidden - Job has been erased!"),
])  # fmt: skip
def test_a_token_dies_with_its_job(cast, taken, change, reason):
    runner, job = taken
    cast.run(f"UPDATE pipeline_jobs SET {change} WHERE id = :id", id=job)
    answer = runner.put(job, state="running")
    assert (answer.status, answer.json) == (403, {"message": reason})


def test_only_the_token_of_the_job_reports(cast, taken, new_job):
    runner, job = taken
    other = new_job()
    assert runner.put(999_999).json == {"message": "404 Job Not Found"}
    for token in ("wrong", runner.token, ""):
        assert cast.anonymous.put(f"/jobs/{job}", token=token, state="success").status == 403
    assert cast.anonymous.put(f"/jobs/{other}", token=runner.job_tokens[job], state="success").status == 403
    assert cast.developer.put(f"/jobs/{job}", state="success").status == 400
    cast.run("UPDATE projects SET deleted_at = '2018' WHERE id = :id", id=cast.private.id)
    assert runner.put(job).json == {"message": "403 Forbidden - Project has been deleted!"}
    assert stored(cast, job)[0] == "running"


def test_a_trace_hides_the_value_that_the_job_got_although_the_variable_has_changed(cast, new_runner, new_job):
    variables = f"/projects/{cast.private.id}/variables"
    assert cast.master.post(variables, key="HIDDEN", value="zanzibar-42", masked=True).status == 201
    new_job()
    runner = new_runner(cast.private)
    job = runner.take()
    assert cast.master.put(f"{variables}/HIDDEN", value="rotated-4711").status == 200
    assert runner.put(job, state="success", trace="both: zanzibar-42 rotated").status == 200
    trace = cast.master.get(f"/projects/{cast.private.id}/jobs/{job}/trace")
    assert (trace.status, "zanzibar" in trace.text, "rotated" in trace.text) == (200, False, True)


def test_a_report_with_a_trace_that_is_too_large_ends_the_job(cast, new_runner, new_job, monkeypatch):
    settings = cast.database.settings
    monkeypatch.setattr(cast.database, "settings", type(settings)(data=settings.data, max_trace_megabytes=1))
    new_job()
    runner = new_runner(cast.private)
    job = runner.take()
    assert runner.put(job, state="success", trace="x" * 1_100_000).status == 413
    told = cast.master.get(f"/projects/{cast.private.id}/jobs/{job}").json
    assert (told["status"], told["failure_reason"]) == ("failed", "trace_size_exceeded")
