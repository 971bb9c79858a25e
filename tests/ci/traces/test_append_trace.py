"""PATCH /jobs/:id/trace."""

import pytest

from mujina.ci.traces import operations
from tests.harness.client import Raw


def test_a_trace_grows_by_its_size(runner):
    first = runner.patch(0, b"one\n")
    assert (first.status, first.body) == (202, b"")
    assert (first.headers["Job-Status"], first.headers["Range"]) == ("running", "0-4")
    assert runner.trace().text == "one\n"
    assert runner.patch(4, b"two\n", end=7).headers["Range"] == "0-8"
    assert runner.patch(8, b"").headers["Range"] == "0-8"
    assert runner.trace().text == "one\ntwo\n"


def test_bytes_that_are_not_the_next_are_refused_with_the_size(runner):
    runner.patch(0, b"one\n")
    for start in (0, 3, 5, 99):
        refused = runner.patch(start, b"x")
        assert (refused.status, refused.headers["Range"], refused.headers["Job-Status"]) == (416, "0-4", "running")
        assert refused.json == {"error": "416 Range Not Satisfiable"}
    assert runner.trace().text == "one\n"


def test_a_request_says_where_its_bytes_belong(runner):
    headers = runner.headers()
    missing = runner.cast.anonymous.patch(f"/jobs/{runner.job}/trace", Raw(body=b"x", headers=headers))
    assert (missing.status, missing.json) == (400, {"error": "400 Missing header Content-Range"})
    assert runner.patch(0, b"x", **{"Content-Range": "x"}).status == 400
    assert runner.patch(0, b"x", **{"Content-Range": "bytes 0-0/1"}).status == 202


def test_only_the_token_of_the_job_opens_its_trace(runner, cast):
    for token in ("", "wrong", cast.owner.token):
        refused = runner.patch(0, b"x", **{"JOB-TOKEN": token})
        assert (refused.status, refused.json) == (403, {"message": "403 Forbidden"})
    here = f"/jobs/{runner.job}/trace"
    assert cast.root.patch(here, Raw(body=b"x", headers={"Content-Range": "0-1"})).status == 403
    assert cast.anonymous.patch("/jobs/999999/trace", Raw(body=b"x", headers=runner.headers())).status == 404
    assert runner.trace().text == ""


def test_a_canceled_job_tells_its_runner_and_takes_the_rest_for_ten_minutes(runner):
    runner.patch(0, b"one\n")
    assert runner.cast.owner.post(f"{runner.path}/cancel").status == 201
    late = runner.patch(4, b"two\n")
    assert (late.status, late.headers["Job-Status"], late.headers["Range"]) == (202, "canceled", "0-8")
    runner.cast.run("UPDATE pipeline_jobs SET finished_at = '2018-01-01T00:00:00.000Z'")
    too_late = runner.patch(8, b"three\n")
    assert (too_late.status, too_late.json) == (403, {"message": "403 Forbidden - Job is not running!"})
    assert runner.trace().text == "one\ntwo\n"


def test_a_trace_that_is_too_large_ends_the_job(runner, monkeypatch):
    monkeypatch.setattr(operations, "PIECE", 100_000)
    settings = runner.cast.database.settings
    monkeypatch.setattr(runner.cast.database, "settings", type(settings)(data=settings.data, max_trace_megabytes=1))
    assert runner.patch(0, b"x" * 1_000_000).status == 202
    refused = runner.patch(1_000_000, b"y" * 100_000)
    assert (refused.status, refused.json) == (413, {"message": "413 Request Entity Too Large"})
    job = runner.cast.owner.get(runner.path).json
    assert (job["status"], job["failure_reason"]) == ("failed", "trace_size_exceeded")
    assert runner.trace().text == "x" * 1_000_000


SECRETS = ["the token", "the token of runners", "of the project", "of the group", "of the instance"]


@pytest.mark.parametrize("which", SECRETS)
def test_secrets_are_masked_also_where_a_piece_ends_inside_one(runner, cast, which):
    masked = {"key": "SECRET", "value": "sesame-open-now", "masked": True}
    if which == "of the project":
        assert cast.owner.post(f"{runner.ci.path}/variables", **masked).status == 201
    elif which == "of the group":
        assert cast.owner.post(f"/groups/{cast.team.id}/variables", **masked).status == 201
    elif which == "of the instance":
        assert cast.root.post("/admin/ci/variables", **masked).status == 201
    secret = {"the token": runner.token, "the token of runners": cast.owner.get(runner.ci.path).json["runners_token"]}
    text = f"echo {secret.get(which, 'sesame-open-now')}\n".encode()
    for start in range(0, len(text), 7):
        answer = runner.patch(start, text[start : start + 7])
        assert answer.headers["Range"] == f"0-{min(start + 7, len(text))}"
        assert runner.trace().text in "echo " + "x" * (len(text) - 6) + "\n"
    assert runner.trace().text == "echo " + "x" * (len(text) - 6) + "\n"
    rows = cast.rows("SELECT data FROM job_trace_chunks")
    assert text[5:-1] not in b"".join(data for (data,) in rows)


def test_a_variable_that_is_not_masked_shows(runner, cast):
    assert cast.owner.post(f"{runner.ci.path}/variables", key="PLAIN", value="nothing-secret").status == 201
    runner.patch(0, b"nothing\n")
    assert runner.trace().text == "nothing\n"


def test_a_report_may_replace_the_trace_also_after_the_end(runner, cast):
    runner.patch(0, b"one\ntwo\n")
    text = f"three {runner.token}\n"
    done = cast.anonymous.put(f"/jobs/{runner.job}", token=runner.token, state="success", trace=text)
    assert (done.status, done.headers["Job-Status"]) == (200, "success")
    assert runner.trace().text == "three " + "x" * len(runner.token) + "\n"
    assert runner.patch(len(text), b"four\n").status == 202
    late = cast.anonymous.put(f"/jobs/{runner.job}", token=runner.token, state="failed", trace="five\n")
    assert (late.status, late.headers["Job-Status"], runner.trace().text) == (200, "success", "five\n")


def test_a_short_job_sends_its_state_and_its_trace_at_once(runner, cast):
    done = cast.anonymous.put(f"/jobs/{runner.job}", token=runner.token, state="success", trace="lines 71.5%\n")
    assert (done.status, done.headers["Job-Status"]) == (200, "success")
    runner.work()
    shown = cast.owner.get(runner.path).json
    assert (runner.trace().text, shown["status"], shown["coverage"]) == ("lines 71.5%\n", "success", 71.5)


def test_a_report_may_contain_whatever_a_script_prints(runner, cast):
    done = cast.anonymous.put(f"/jobs/{runner.job}", token=runner.token, state="success", trace="one\0two\x07\n")
    assert (done.status, runner.trace().text) == (200, "one\0two\x07\n")


def test_a_runner_that_sends_a_trace_is_heard_of(runner, cast):
    stored = "SELECT updated_at FROM pipeline_jobs WHERE id = :id"
    before = cast.value(stored, id=runner.job)
    runner.patch(0, b"one\n")
    assert cast.value(stored, id=runner.job) == before
    cast.run("UPDATE pipeline_jobs SET updated_at = '2018-01-01T00:00:00.000Z'")
    runner.patch(4, b"two\n")
    assert cast.value(stored, id=runner.job) >= before
