"""Pipelines of merge requests, and merge requests that wait for pipelines."""

import pytest

FILE = """\
build: {script: make}
review: {script: check, rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]}
"""


@pytest.fixture
def request_of(ci):
    """A merge request from `topic`, whose pipelines have the given file."""

    def make(text="build: {script: make}"):
        ci.commit(branch="topic", action="update", **{".gitlab-ci.yml": text})
        made = ci.cast.owner.post(
            f"{ci.path}/merge_requests", title="A request", source_branch="topic", target_branch="master"
        )
        assert made.status == 201, made
        return f"{ci.path}/merge_requests/{made.json['iid']}"

    return make


def test_a_request_whose_file_has_jobs_for_it_gets_a_pipeline(ci, request_of):
    path = request_of(FILE)
    made, pushed = ci.cast.owner.get(f"{path}/pipelines").json
    assert (made["source"], pushed["source"]) == ("merge_request_event", "push")
    assert [job["name"] for job in ci.jobs(made["id"])] == ["review"]
    assert [job["name"] for job in ci.jobs(pushed["id"])] == ["build"]
    assert ci.cast.owner.get(path).json["head_pipeline"]["id"] == made["id"]
    again = ci.cast.owner.post(f"{path}/pipelines")
    assert (again.status, again.json["source"], again.json["ref"]) == (201, "merge_request_event", "topic")


def test_a_request_whose_file_has_none_for_it_has_that_of_the_push(ci, request_of):
    path = request_of()
    [pushed] = ci.cast.owner.get(f"{path}/pipelines").json
    assert pushed["source"] == "push"
    refused = ci.cast.owner.post(f"{path}/pipelines")
    assert (refused.status, refused.json) == (400, {"message": {"base": ["No stages / jobs for this pipeline."]}})


def test_merging_waits_for_the_pipeline(ci, request_of):
    ci.cast.owner.put(ci.path, only_allow_merge_if_pipeline_succeeds=True)
    path = request_of()
    assert ci.cast.owner.put(f"{path}/merge").status == 405
    waits = ci.cast.owner.put(f"{path}/merge", merge_when_pipeline_succeeds=True)
    assert (waits.status, waits.json["state"]) == (200, "opened")
    ci.finish("build")
    ci.cast.owner.get("/user")  # jobs run within a request
    ci.commit(branch="unrelated", a="b")
    assert ci.cast.owner.get(path).json["state"] == "merged"


def test_a_failed_job_of_a_request_is_a_todo_of_its_author(ci, request_of):
    request_of()
    ci.finish("build", "failed", "script_failure")
    [todo] = ci.cast.owner.get("/todos").json
    assert todo["action_name"] == "build_failed"
    ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('build')['id']}/retry")
    assert ci.cast.owner.get("/todos").json == []


def test_the_statuses_of_a_commit_show_its_jobs(ci):
    here = f"{ci.path}/repository/commits/{ci.sha}"
    ci.cast.owner.post(f"{ci.path}/statuses/{ci.sha}", state="success", name="elsewhere", ref="master")
    listed = ci.cast.owner.get(f"{here}/statuses").json
    assert [(each["name"], each["status"], each["allow_failure"]) for each in listed] == [
        ("compile", "pending", False), ("rspec", "created", False), ("lint", "created", True),
        ("release", "created", True), ("elsewhere", "success", False),
    ]  # fmt: skip
    assert {each["pipeline_id"] for each in listed} == {ci.pipelines[0]["id"]}
    assert [each["name"] for each in ci.cast.owner.get(f"{here}/statuses", stage="build").json] == ["compile"]
    shown = ci.cast.owner.get(here).json
    assert (shown["status"], shown["last_pipeline"]["id"]) == ("running", ci.pipelines[0]["id"])
    ci.finish("compile", "failed")
    assert ci.cast.owner.get(here).json["status"] == "failed"
    ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('compile')['id']}/retry")
    assert len(ci.cast.owner.get(f"{here}/statuses").json) == 5
    assert len(ci.cast.owner.get(f"{here}/statuses", all=True).json) == 6
