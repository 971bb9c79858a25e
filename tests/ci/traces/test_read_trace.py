"""GET /projects/:id/jobs/:job_id/trace, and what becomes of a trace when its job is over."""

import re

import pytest

from mujina.ci.artifacts.operations import StagedFile
from mujina.ci.traces import operations, responses
from mujina.ci.traces.coverage import coverage_in


def test_a_job_without_a_trace_has_an_empty_one(runner):
    answer = runner.trace()
    assert (answer.status, answer.body, answer.headers["Content-Type"]) == (200, b"", "text/plain; charset=utf-8")
    assert answer.headers["Content-Disposition"] == f'inline; filename="{runner.job}.log"'
    assert runner.cast.owner.get(f"{runner.ci.path}/jobs/999999/trace").status == 404


def test_bytes_that_are_no_text_are_replaced(runner):
    runner.patch(0, b"caf\xe9 \xc3")
    runner.patch(6, b"\xbc\n")
    assert runner.trace().text == "caf\ufffd ü\n"
    assert runner.trace(Range="bytes=2-4").body == b"f? "
    assert runner.trace(Range="bytes=5-6").text == "ü"
    assert runner.trace(Range="bytes=6-").body == b"\xbc\n"


def test_a_part_of_a_trace(runner):
    runner.patch(0, b"one\ntwo\n")
    part = runner.trace(Range="bytes=4-6")
    assert (part.status, part.text, part.headers["Content-Range"]) == (206, "two", "bytes 4-6/8")
    assert part.headers["Content-Length"] == "3"
    beyond = runner.trace(Range="bytes=8-")
    assert (beyond.status, beyond.headers["Content-Range"]) == (416, "bytes */8")
    head = runner.cast.owner.head(f"{runner.path}/trace")
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", "8")


def test_a_long_trace_is_streamed(runner, monkeypatch):
    monkeypatch.setattr(operations, "PIECE", 1_000)
    monkeypatch.setattr(responses, "MAX_BUFFERED", 1_000)
    text = "".join(f"line {n}: äöü\n" for n in range(500))
    assert runner.patch(0, text.encode()).status == 202
    assert runner.trace().text == text
    assert runner.trace(Range="bytes=2990-3020").body == text.encode()[2990:3021]


@pytest.fixture
def finished(runner):
    runner.patch(0, b"building\nlines 71.5%\nlines 80.25% lines 81.75%\nlines none%\n")
    assert runner.finish()
    runner.work()
    return runner


def test_the_coverage_is_the_last_one_printed(finished):
    assert finished.cast.owner.get(finished.path).json["coverage"] == 81.75
    finished.ci.finish("check")
    pipeline = finished.cast.owner.get(f"{finished.ci.path}/pipelines/{finished.ci.pipelines[0]['id']}").json
    assert pipeline["coverage"] == "81.75"


def test_a_number_too_long_for_a_coverage_is_none(runner):
    runner.patch(0, f"lines 80.5%\nlines {'9' * 400}.5%\n".encode())
    runner.finish()
    runner.work()
    assert runner.cast.owner.get(runner.path).json["coverage"] == 80.5
    assert coverage_in(["٣٤".encode()], re.compile("(.*)")) is None


def test_the_trace_of_a_job_that_is_over_becomes_a_file(finished, cast):
    before = finished.trace()
    assert cast.value("SELECT count(*) FROM job_artifacts") == 0
    finished.pass_time()
    assert cast.rows("SELECT file_type, size FROM job_artifacts") == [("trace", len(before.body))]
    assert cast.value("SELECT count(*) FROM job_trace_chunks") == cast.value("SELECT count(*) FROM job_traces") == 0
    assert finished.trace().body == before.body
    assert finished.trace(Range="bytes=3-9").text == before.text[3:10]
    statistics = cast.owner.get(finished.ci.path, statistics=True).json["statistics"]
    assert statistics["job_artifacts_size"] == 0


def test_the_end_of_a_trace_shows_when_the_job_is_over(runner):
    runner.patch(0, b"done " + runner.token[:3].encode())
    assert runner.trace().text == "done "
    runner.finish()
    assert runner.trace().text == "done " + runner.token[:3]
    runner.pass_time()
    assert runner.trace().text == "done " + runner.token[:3]


def test_erasing_a_job(finished, cast):
    assert cast.inherited.post(f"{finished.path}/erase").status == 403
    erased = cast.owner.post(f"{finished.path}/erase")
    assert (erased.status, erased.json["erased_at"] is not None) == (201, True)
    assert finished.trace().text == ""
    again = cast.owner.post(f"{finished.path}/erase")
    assert (again.status, again.json) == (403, {"message": "403 Forbidden - Job is not erasable!"})
    refused = finished.patch(0, b"x")
    assert (refused.status, refused.json) == (403, {"message": "403 Forbidden - Job has been erased!"})


def test_an_erased_job_loses_the_file_of_its_trace(finished, cast, stage):
    finished.pass_time()
    file = stage.folder / "files" / cast.value("SELECT file FROM job_artifacts")
    assert file.exists()
    assert cast.owner.post(f"{finished.path}/erase").status == 201
    assert (finished.trace().text, file.exists()) == ("", False)


def test_a_running_job_is_not_erased(runner, cast):
    runner.patch(0, b"one\n")
    assert cast.owner.post(f"{runner.path}/erase").status == 403
    assert runner.trace().text == "one\n"


def test_who_may_read_a_trace(runner, cast):
    runner.patch(0, b"one\n")
    statuses = {person.name: person.get(f"{runner.path}/trace").status for person in cast.people}
    assert [name for name, status in statuses.items() if status == 200] == ["root", "owner", "inherited"]
    cast.owner.post(f"{runner.ci.path}/members", user_id=cast.guest.id, access_level=10)
    assert cast.guest.get(f"{runner.path}/trace").status == 200
    cast.owner.put(runner.ci.path, public_jobs=False)
    assert cast.guest.get(f"{runner.path}/trace").status == 403
    cast.owner.put(runner.ci.path, jobs_enabled=False)
    assert cast.owner.get(f"{runner.path}/trace").status == 403


def test_a_trace_that_changes_while_it_is_archived_stays(finished, cast):
    stored = StagedFile("artifacts/aa/bb/none", 3, "0" * 64)
    assert not cast.transact(lambda tx: operations.archive(tx, finished.job, 3, stored))
    assert cast.value("SELECT count(*) FROM job_artifacts") == 0
    finished.pass_time()
    assert not cast.transact(lambda tx: operations.archive(tx, finished.job, 3, stored))
    finished.pass_time()
    assert cast.value("SELECT count(*) FROM job_artifacts") == 1
