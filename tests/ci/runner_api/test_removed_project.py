"""A project that is removed while a runner executes a job of it."""

from tests.harness.client import Raw


def test_a_job_ends_with_its_project_and_its_runner_goes_on(cast, new_runner, new_job, stage):
    runner = new_runner()
    new_job(artifacts=None)
    job = runner.take()
    token = runner.job_tokens[job]
    door = f"/jobs/{job}"

    def patch(start, text):
        headers = {"JOB-TOKEN": token, "Content-Range": f"{start}-"}
        return cast.anonymous.patch(f"{door}/trace", Raw(body=text, type="text/plain", headers=headers)).status

    def upload():
        raw = Raw.multipart({"file": ("artifacts.zip", b"PK")})
        headers = {"JOB-TOKEN": token}
        return cast.anonymous.post(f"{door}/artifacts", Raw(body=raw.body, type=raw.type, headers=headers)).status

    assert (patch(0, b"begun\n"), upload()) == (202, 201)
    assert cast.owner.delete(f"/projects/{cast.private.id}").status == 204
    assert cast.value("SELECT count(*) FROM pipeline_jobs") == 0
    assert cast.value("SELECT count(*) FROM job_trace_chunks") == 0
    assert [path for path in (stage.folder / "files/artifacts").rglob("*") if path.is_file()] == []
    gone = {"message": "404 Job Not Found"}
    answer = runner.put(job, state="success")
    assert (patch(6, b"more\n"), upload(), answer.status, answer.json) == (404, 404, 404, gone)
    following = new_job(cast.internal)
    assert runner.take() == following
