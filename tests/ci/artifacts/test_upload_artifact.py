"""POST /jobs/:id/artifacts, POST /jobs/:id/artifacts/authorize and GET /jobs/:id/artifacts: the requests of runners."""

import pytest

from mujina.kernel import clock
from tests.harness.client import Raw


def test_a_runner_uploads_an_archive_and_later_jobs_download_it(runner, cast):
    stored = runner.upload(b"PK...", "built.zip", "expire_in=1+week")
    assert (stored.status, stored.json) == (201, {"filename": "built.zip", "size": 5})
    assert runner.token not in stored.text
    runner.finish()
    fetched = cast.anonymous.get(f"/jobs/{runner.job}/artifacts", Raw(headers=runner.headers()))
    assert (fetched.status, fetched.body, fetched.headers["Content-Length"]) == (200, b"PK...", "5")
    assert fetched.headers["Content-Disposition"] == "attachment; filename=\"built.zip\"; filename*=UTF-8''built.zip"
    runner.pass_time()
    late = cast.anonymous.get(f"/jobs/{runner.job}/artifacts", Raw(headers=runner.headers()), direct_download=True)
    assert (late.status, late.body) == (200, b"PK..."), "as long as the artifact lives"
    refused = cast.anonymous.get(f"/jobs/{runner.job}/artifacts", Raw(headers={"JOB-TOKEN": "wrong"}))
    assert refused.status == 403


def test_a_job_without_artifacts_has_none_to_download(runner, cast):
    answer = cast.anonymous.get(f"/jobs/{runner.job}/artifacts", Raw(headers=runner.headers()))
    assert (answer.status, answer.json) == (404, {"message": "404 Not Found"})


def test_an_upload_needs_a_file_a_token_and_a_running_job(runner, cast):
    here = f"/jobs/{runner.job}/artifacts"
    missing = cast.anonymous.post(here, Raw(headers=runner.headers()))
    assert (missing.status, missing.json["message"]) == (400, '400 (Bad request) "Missing artifacts file!" not given')
    other = Raw.multipart({"other": ("a.zip", b"x")})
    assert cast.anonymous.post(here, Raw(body=other.body, type=other.type, headers=runner.headers())).status == 400
    broken = Raw(body=other.body[:-9], type=other.type.replace("other", "file"), headers=runner.headers())
    assert cast.anonymous.post(here, broken).status == 400
    assert cast.anonymous.post(here, other).status == 403
    assert cast.anonymous.post("/jobs/999999/artifacts", Raw(headers=runner.headers())).status == 404
    runner.finish()
    late = runner.upload(b"x")
    assert (late.status, late.json) == (403, {"message": "403 Forbidden - Job is not running!"})
    assert files(runner) == []


def test_an_upload_may_be_authorized_before(runner, cast):
    here = f"/jobs/{runner.job}/artifacts/authorize"
    assert cast.anonymous.post(here).status == 403
    allowed = cast.anonymous.post(here, Raw(headers=runner.headers()))
    assert (allowed.status, allowed.json) == (200, {})
    runner.finish()
    assert cast.anonymous.post(here, Raw(headers=runner.headers())).status == 403


def test_artifacts_that_are_too_large_are_refused(runner, cast):
    cast.root.put("/application/settings", max_artifacts_size=1)
    assert runner.upload(b"x" * 1024 * 1024).status == 201
    refused = runner.upload(b"x" * (1024 * 1024 + 1))
    assert (refused.status, refused.json) == (413, {"message": "413 Request Entity Too Large"})
    raw = Raw.multipart({"file": ("a.zip", b"x")})
    announced = runner.headers() | {"Content-Length": str(2 * 1024 * 1024)}
    before = cast.anonymous.post(f"/jobs/{runner.job}/artifacts", Raw(body=raw.body, type=raw.type, headers=announced))
    assert before.status == 413
    assert len(files(runner)) == 1


def test_artifacts_may_be_off(runner, monkeypatch):
    monkeypatch.setattr("mujina.settings.Settings.artifacts", False)
    assert runner.upload(b"x").status == 405


@pytest.mark.parametrize(
    ("expire_in", "default", "days"),
    [
        ("1 week", "30 days", 7), ("", "30 days", 30), ("nonsense", "2 days", 2), ("never", "30 days", None),
        ("", "0", None), ("3 mins 4 sec", "30 days", 0),
    ],
)  # fmt: skip
def test_an_archive_expires(runner, cast, expire_in, default, days):
    cast.root.put("/application/settings", default_artifacts_expire_in=default)
    assert runner.upload(b"x", query=f"expire_in={expire_in}" if expire_in else "").status == 201
    expires = cast.value("SELECT expire_at FROM job_artifacts")
    assert (None if expires is None else round(clock.seconds_until(expires) / 86_400)) == days


def test_later_runners_upload_reports_beside_the_archive(runner, cast):
    assert runner.upload(b"zip", query="artifact_type=archive&artifact_format=zip").status == 201
    assert runner.upload(b"<xml>", "junit.xml.gz", "artifact_type=junit&artifact_format=gzip").status == 201
    assert runner.upload(b"meta", "metadata.gz", artifact_type="metadata", artifact_format="gzip").status == 201
    assert runner.upload(b"x", query="artifact_type=trace").status == 400
    assert runner.upload(b"x", query="artifact_type=any_word").status == 400
    assert runner.upload(b"x", query="artifact_format=exe").status == 400
    assert cast.rows("SELECT file_type, file_format, filename, size FROM job_artifacts ORDER BY id") == [
        ("archive", "zip", "artifacts.zip", 3), ("junit", "gzip", "junit.xml.gz", 5),
        ("metadata", "gzip", "metadata.gz", 4),
    ]  # fmt: skip
    assert cast.owner.get(f"{runner.path}/artifacts").body == b"zip"


def test_a_second_archive_replaces_the_first(runner, cast):
    runner.upload(b"first")
    runner.upload(b"second one")
    runner.work()
    assert (cast.owner.get(f"{runner.path}/artifacts").body, len(files(runner))) == (b"second one", 1)
    assert statistics(runner) == 10


def test_the_name_of_an_archive_is_a_name(runner):
    for name, stored in (("../../etc/passwd", "passwd"), ("", "artifacts.zip"), ('a"b.zip', "a_b.zip")):
        answer = runner.upload(b"x", name)
        assert answer.status == 201, answer
        assert answer.json["filename"] == stored


def files(runner):
    return [path for path in (runner.services.settings.data / "files/artifacts").rglob("*") if path.is_file()]


def statistics(runner):
    return runner.cast.owner.get(runner.ci.path, statistics=True).json["statistics"]["job_artifacts_size"]
