"""Artifacts as people read, keep and remove them."""

import zipfile

import pytest

from mujina.ci.runner_api.dependencies import MissingDependency, find_dependencies
from mujina.ci.variables.job_variables import find_facts
from mujina.kernel.jobs.queue import enqueue
from tests.ci.artifacts.test_archives import zipped
from tests.ci.artifacts.test_upload_artifact import files, statistics
from tests.ci.pipelines.conftest import add_members
from tests.ci.running_jobs import Runner
from tests.harness.client import Raw


@pytest.fixture
def archive():
    return zipped(
        ("out/index.html", b"<h1>Hello</h1>"), ("out/a b.txt", b"hello " * 1_000), (zipfile.ZipInfo("../x"), b"x")
    )


@pytest.fixture
def built(runner, archive):
    """The runner after its job stored an archive and succeeded."""
    assert runner.upload(archive, query="expire_in=1+week").status == 201
    runner.finish()
    return runner


def test_an_archive_is_downloaded_whole_or_in_part(built, cast, archive):
    whole = cast.owner.get(f"{built.path}/artifacts")
    assert (whole.status, whole.body, whole.headers["Accept-Ranges"]) == (200, archive, "bytes")
    part = cast.owner.get(f"{built.path}/artifacts", Raw(headers={"Range": "bytes=3-9"}))
    assert (part.status, part.body) == (206, archive[3:10])
    assert part.headers["Content-Range"] == f"bytes 3-9/{len(archive)}"
    assert cast.owner.head(f"{built.path}/artifacts").headers["Content-Length"] == str(len(archive))


def test_one_file_of_an_archive(built, cast):
    page = cast.owner.get(f"{built.path}/artifacts/out/index.html")
    assert (page.status, page.body) == (200, b"<h1>Hello</h1>")
    assert page.headers["Content-Type"] == "application/octet-stream"
    assert page.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    text = cast.owner.get(f"{built.path}/artifacts/out%2Fa%20b.txt")
    assert (text.body, text.headers["Content-Length"]) == (b"hello " * 1_000, "6000")


@pytest.mark.parametrize("path", ["out", "nothing", "../x", "..%2Fx", "%2E%2E/x", "out/../out/index.html", "x%00"])
def test_other_names_are_not_there(built, cast, path):
    assert cast.owner.get(f"{built.path}/artifacts/{path}").status in (400, 404)


def test_a_file_that_is_no_archive_has_no_files(runner, cast):
    runner.upload(b"not a zip at all")
    assert cast.owner.get(f"{runner.path}/artifacts/a").status == 404


def test_by_ref_the_newest_successful_pipeline_counts(built, cast, archive):
    here = f"{built.ci.path}/jobs/artifacts/master"
    assert cast.owner.get(f"{here}/download", job="compile").status == 404
    built.ci.finish("check")
    assert cast.owner.get(f"{here}/download", job="compile").body == archive
    assert cast.owner.get(f"{here}/raw/out/index.html", job="compile").body == b"<h1>Hello</h1>"
    assert cast.owner.get(f"{here}/download", job="check").status == 404
    missing = cast.owner.get(f"{here}/download")
    assert (missing.status, missing.json["error"]) == (400, "job is missing")
    assert cast.owner.get(f"{built.ci.path}/jobs/artifacts/other/download", job="compile").status == 404


def test_by_ref_what_other_systems_report_hides_nothing(built, cast, archive):
    built.ci.finish("check")
    before = cast.owner.get(f"{built.ci.path}/repository/commits/{built.ci.sha}").json["id"]
    cast.run("DELETE FROM pipelines WHERE sha = :sha", sha=before)
    reported = cast.owner.post(f"{built.ci.path}/statuses/{before}", state="success", name="elsewhere", ref="master")
    assert reported.status == 201, reported
    assert built.ci.pipelines[0]["source"] == "external"
    assert cast.owner.get(f"{built.ci.path}/jobs/artifacts/master/download", job="compile").body == archive


def test_by_ref_a_branch_comes_before_a_tag_of_its_name(built, cast, archive):
    built.ci.finish("check")
    tagged = cast.owner.post(f"{built.ci.path}/repository/tags", tag_name="master", ref=built.ci.pipelines[0]["sha"])
    assert tagged.status == 201, tagged
    forged = Runner(built.ci, cast, built.services.settings.data)
    assert forged.upload(b"forged").status == 201
    forged.finish()
    built.ci.finish("check")
    assert [(each["ref"], each["status"]) for each in built.ci.pipelines[:2]] == [("master", "success")] * 2
    assert cast.owner.get(f"{built.ci.path}/jobs/artifacts/master/download", job="compile").body == archive


PEOPLE = ("reporter", "developer", "owner", "root")


@pytest.mark.parametrize(
    ("words", "allowed"), [("public: false", PEOPLE[1:]), ("access: maintainer", PEOPLE[2:]), ("access: none", ())]
)
def test_the_file_says_who_may_download(ci, cast, stage, browse, archive, words, allowed):
    ci.file(f"compile: {{stage: build, script: make, artifacts: {{paths: [out], {words}}}}}")
    add_members(ci)
    hidden = Runner(ci, cast, stage.folder)
    assert hidden.upload(archive).status == 201
    hidden.finish()
    of_ref, page = f"{ci.path}/jobs/artifacts/master", f"/company/department/team/built/-/jobs/{hidden.job}"
    paths = (f"{hidden.path}/artifacts", f"{hidden.path}/artifacts/out/index.html", f"{of_ref}/download?job=compile",
             f"{of_ref}/raw/out/index.html?job=compile")  # fmt: skip
    for person in PEOPLE:
        status = 200 if person in allowed else 403
        for path in paths:
            address, _, query = path.partition("?")
            assert getattr(cast, person).get(address, Raw(query=query)).status == status, (person, path)
        for path in ("download", "browse", "raw/out/index.html"):
            assert browse(person).open(f"{page}/artifacts/{path}").status == status, (person, path)
        shown = browse(person).open(page).text
        assert ("artifacts.zip" in shown, "/artifacts/download" in shown, "/artifacts/browse" in shown) == (
            True, person in allowed, person in allowed,
        )  # fmt: skip
    own = cast.anonymous.get(f"/jobs/{hidden.job}/artifacts", Raw(headers=hidden.headers()))
    assert own.body == archive, "later jobs get them"


def test_the_name_of_a_ref_may_have_slashes(built, cast, archive):
    built.ci.finish("check")
    cast.run("UPDATE pipelines SET ref = 'feature/raw/one'")
    for ref in ("feature/raw/one", "feature%2Fraw%2Fone"):
        assert cast.owner.get(f"{built.ci.path}/jobs/artifacts/{ref}/download", job="compile").body == archive
    one = cast.owner.get(f"{built.ci.path}/jobs/artifacts/feature%2Fraw%2Fone/raw/out/index.html", job="compile")
    assert one.body == b"<h1>Hello</h1>"


def test_jobs_show_their_files(built, cast, archive):
    job = cast.owner.get(built.path).json
    assert job["artifacts_file"] == {"filename": "artifacts.zip", "size": len(archive)}
    assert job["artifacts"] == [
        {"file_type": "archive", "size": len(archive), "filename": "artifacts.zip", "file_format": "zip"}
    ]
    assert job["artifacts_expire_at"] is not None
    other = cast.owner.get(f"{built.ci.path}/jobs/{built.ci.job('check')['id']}").json
    assert ("artifacts_file" in other, other["artifacts"], other["artifacts_expire_at"]) == (False, [], None)


def lacks_artifacts(cast, job_id):
    """Whether a job that comes after the one with the archive cannot be executed any more."""

    async def find(tx):
        facts = await find_facts(tx, job_id)
        await find_dependencies(tx, facts.pipeline.id, 1, facts.config)

    try:
        cast.transact(find)
    except MissingDependency:
        return True
    return False


def test_artifacts_expire_and_may_be_kept(built, cast):
    check = built.ci.job("check")["id"]
    assert not lacks_artifacts(cast, check)
    kept = cast.owner.post(f"{built.path}/artifacts/keep")
    assert (kept.status, kept.json["artifacts_expire_at"]) == (200, None)
    cast.run("UPDATE job_artifacts SET expire_at = '2018-01-01T00:00:00.000Z'")
    assert cast.owner.get(f"{built.path}/artifacts").status == 404
    assert cast.owner.post(f"{built.path}/artifacts/keep").status == 404
    assert len(files(built)) == 1
    for _ in range(2):
        sweep(built)
    assert (files(built), statistics(built)) == ([], 0)
    assert lacks_artifacts(cast, check)
    job = cast.owner.get(built.path).json
    assert (job["status"], "artifacts_file" in job) == ("success", False)


def test_a_project_may_keep_the_artifacts_of_the_newest_success_of_each_ref(built, cast):
    cast.owner.put(built.ci.path, keep_latest_artifact=True)
    check = built.ci.job("check")["id"]
    built.work()
    cast.run("UPDATE job_artifacts SET expire_at = '2018-01-01T00:00:00.000Z'")
    assert cast.owner.get(f"{built.path}/artifacts").status == 404
    cast.run("UPDATE pipelines SET status = 'success' WHERE id = (SELECT max(id) FROM pipelines)")
    sweep(built)
    assert cast.owner.get(f"{built.path}/artifacts").status == 200
    assert not lacks_artifacts(cast, check)
    newer = """INSERT INTO pipelines (project_id, iid, ref, sha, status, source, tag, created_at, updated_at)
        VALUES (:id, :iid, :ref, '', 'success', :source, FALSE, '', '')"""
    for iid, ref, source in ((98, "other", "push"), (99, "master", "external")):
        cast.run(newer, id=built.ci.id, iid=iid, ref=ref, source=source)
        assert cast.owner.get(f"{built.path}/artifacts").status == 200, source
    cast.run(newer, id=built.ci.id, iid=100, ref="master", source="push")
    assert cast.owner.get(f"{built.path}/artifacts").status == 404
    sweep(built)
    assert files(built) == []


def test_keeping_revives_nothing_that_has_expired(runner, cast):
    assert runner.upload(b"zip", query="expire_in=1+week").status == 201
    assert (
        runner.upload(b"xml", "junit.xml.gz", "artifact_type=junit&artifact_format=gzip&expire_in=1+day").status == 201
    )
    runner.finish()
    gone = "UPDATE job_artifacts SET expire_at = '2018-01-01T00:00:00.000Z' WHERE file_type = :file_type"
    cast.run(gone, file_type="junit")
    for _ in range(2):  # before its file is removed, and afterward
        kept = cast.owner.post(f"{runner.path}/artifacts/keep")
        assert (kept.status, [each["file_type"] for each in kept.json["artifacts"]]) == (200, ["archive"])
        sweep(runner)
        assert len(files(runner)) == 1
    cast.run(gone, file_type="archive")
    sweep(runner)
    assert cast.owner.post(f"{runner.path}/artifacts/keep").status == 404
    # What a keep that raced with the removal of the file left behind before is no artifact.
    cast.run("UPDATE job_artifacts SET expire_at = NULL")
    assert cast.owner.get(f"{runner.path}/artifacts").status == 404
    assert cast.owner.get(runner.path).json["artifacts"] == []


def test_a_running_job_fetches_what_its_user_may_read_with_its_own_token(built, cast, stage, archive):
    check = Runner(built.ci, cast, stage.folder, "check")

    def fetched(runner=check):
        return cast.anonymous.get(f"/jobs/{built.job}/artifacts", Raw(headers=runner.headers()))

    assert (fetched().status, fetched().body, fetched(built).status) == (200, archive, 200)
    cast.run("UPDATE pipeline_jobs SET user_id = :id WHERE id = :job", id=cast.stranger.id, job=check.job)
    assert (fetched().status, fetched().json) == (403, {"message": "403 Forbidden"})
    cast.run("UPDATE pipeline_jobs SET user_id = :id WHERE id = :job", id=cast.owner.id, job=check.job)
    check.finish()
    assert fetched().status == 403


def sweep(runner):
    runner.cast.transact(lambda tx: enqueue(tx, "artifacts.expire", ""))
    runner.work()


def test_artifacts_are_counted_and_removed(built, cast, archive):
    assert statistics(built) == len(archive)
    assert cast.inherited.delete(f"{built.path}/artifacts").status == 403
    assert cast.owner.delete(f"{built.path}/artifacts").status == 204
    built.work()
    assert (files(built), statistics(built)) == ([], 0)
    assert cast.owner.get(f"{built.path}/artifacts").status == 404


def test_all_artifacts_of_a_project_are_removed(built, cast):
    assert cast.inherited.delete(f"{built.ci.path}/artifacts").status == 403
    assert cast.owner.delete(f"{built.ci.path}/artifacts").status == 202
    assert (files(built), statistics(built)) == ([], 0)


def test_erasing_a_job_removes_its_files(built, cast):
    built.upload(b"late")
    assert cast.owner.post(f"{built.path}/erase").status == 201
    assert (files(built), statistics(built)) == ([], 0)
    assert cast.anonymous.get(f"/jobs/{built.job}/artifacts", Raw(headers=built.headers())).status == 403


def test_a_deleted_pipeline_takes_its_files_along(built, cast):
    pipeline = built.ci.pipelines[0]["id"]
    assert cast.owner.delete(f"{built.ci.path}/pipelines/{pipeline}").status == 204
    assert (files(built), statistics(built)) == ([], 0)


def test_a_deleted_project_takes_its_files_along(built, cast):
    assert cast.owner.delete(built.ci.path).status == 204
    assert files(built) == []


def test_who_may_download(built, cast):
    for path in ("artifacts", "artifacts/out/index.html"):
        statuses = {person.name: person.get(f"{built.path}/{path}").status for person in cast.people}
        assert [name for name, status in statuses.items() if status == 200] == ["root", "owner", "inherited"]


def test_the_token_of_a_running_job_opens_the_archives_of_its_user(built, cast, archive, stage):
    built.ci.finish("check")
    other = Runner(built.ci, cast, stage.folder, "compile", retry=True)
    sent = [Raw(headers={"Job-Token": other.token}), Raw(query=f"job_token={other.token}")]
    by_ref = f"{built.ci.path}/jobs/artifacts/master/download?job=compile"
    for raw in sent:
        assert cast.anonymous.get(f"{built.path}/artifacts", raw).body == archive
        assert cast.anonymous.get(f"{built.path}/artifacts/out/index.html", raw).status == 404
        assert cast.anonymous.get(f"{built.path}/trace", raw).status == 404
    assert cast.anonymous.get(by_ref, sent[0]).status == 404, "the pipeline runs again"
    other.finish()
    assert cast.anonymous.get(f"{built.path}/artifacts", sent[0]).status == 401
