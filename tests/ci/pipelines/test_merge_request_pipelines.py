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


def test_the_pipeline_of_a_tag_of_its_name_is_not_that_of_a_branch(ci, request_of):
    path = request_of()
    head = ci.cast.owner.get(path).json["sha"]
    assert ci.cast.owner.post(f"{ci.path}/repository/tags", tag_name="topic", ref=head).status == 201
    tagged, branch = ci.pipelines[:2]
    assert (tagged["ref"], tagged["sha"]) == (branch["ref"], branch["sha"]) == ("topic", head)
    assert [each["id"] for each in ci.cast.owner.get(f"{path}/pipelines").json] == [branch["id"]]
    assert ci.cast.owner.get(path).json["head_pipeline"]["id"] == branch["id"]
    assert ci.cast.owner.get(f"{ci.path}/pipelines/latest", ref="topic").json["id"] == branch["id"]
    ci.finish("build", "failed")
    assert ci.cast.owner.get(f"{ci.path}/pipelines/{tagged['id']}").json["status"] == "failed"
    assert ci.cast.owner.get("/todos").json == []


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


@pytest.fixture
def due(ci):
    """Enqueue a task that makes pipelines of the request at this path, and that no test runs."""

    def enqueue(task, path):
        cast = ci.cast
        push = cast.value("SELECT max(push_id) FROM push_refs WHERE ref = 'refs/heads/topic'")
        key = push if task == "pipelines.create_after_push" else cast.owner.get(path).json["id"]
        cast.run(
            """INSERT INTO jobs (task, key, enqueued, ready_at, created_at)
               VALUES (:task, :key, 1, '9999-01-01T00:00:00.000Z', '2018-01-01T00:00:00.000Z')""",
            task=task, key=str(key),
        )  # fmt: skip

    return enqueue


@pytest.mark.parametrize("task", ["pipelines.create_after_push", "pipelines.create_for_merge_request"])
def test_a_request_whose_pipeline_is_still_to_come_is_not_merged(ci, request_of, due, task):
    path = request_of()
    ci.cast.run("DELETE FROM pipelines")  # as before the first task of the branch has run
    due(task, path)
    ci.cast.owner.put(ci.path, only_allow_merge_if_pipeline_succeeds=True)
    assert ci.cast.owner.get(path).json["detailed_merge_status"] == "ci_still_running"
    listed = ci.cast.owner.get(f"{ci.path}/merge_requests").json
    assert [each["detailed_merge_status"] for each in listed] == ["ci_still_running"]
    assert ci.cast.owner.put(f"{path}/merge").status == 405
    assert ci.cast.owner.put(f"{path}/merge", merge_when_pipeline_succeeds=True).status == 405
    head = ci.cast.owner.get(path).json["sha"]
    ci.cast.owner.post(f"{ci.path}/statuses/{head}", state="success", ref="topic")
    assert ci.cast.owner.put(f"{path}/merge").status == 405, "the status of another system is not the pipeline"
    ci.cast.run("UPDATE jobs SET parked_at = '2018-01-01T00:00:00.000Z' WHERE task = :task", task=task)
    assert ci.cast.owner.get(path).json["detailed_merge_status"] == "mergeable"
    assert ci.cast.owner.put(f"{path}/merge").status == 200, "the task was given up"


def test_only_a_project_that_demands_success_waits_for_what_is_to_come(ci, request_of, due):
    path = request_of()
    due("pipelines.create_after_push", path)
    assert ci.cast.owner.put(f"{path}/merge").status == 200


def test_a_push_of_another_commit_delays_no_merge(ci, request_of, due):
    ci.cast.owner.put(ci.path, only_allow_merge_if_pipeline_succeeds=True)
    path = request_of()
    ci.finish("build")
    due("pipelines.create_after_push", path)
    ci.cast.run("UPDATE push_refs SET new_id = :other WHERE ref = 'refs/heads/topic'", other="1" * 40)
    assert ci.cast.owner.put(f"{path}/merge").status == 200


def test_an_automatic_merge_waits_for_the_pipeline_that_is_to_come(ci, request_of, due):
    ci.cast.owner.put(ci.path, only_allow_merge_if_pipeline_succeeds=True)
    path = request_of()
    assert ci.cast.owner.put(f"{path}/merge", merge_when_pipeline_succeeds=True).status == 200
    due("pipelines.create_for_merge_request", path)
    ci.finish("build")
    ci.commit(branch="unrelated", a="b")  # jobs run within a request
    shown = ci.cast.owner.get(path).json
    assert (shown["state"], shown["merge_when_pipeline_succeeds"]) == ("opened", True)
    ci.cast.run("DELETE FROM jobs WHERE task = 'pipelines.create_for_merge_request'")
    ci.cast.run(
        "UPDATE jobs SET ready_at = '2018-01-01T00:00:00.000Z' WHERE task = 'merge_requests.merge_automatically'"
    )
    ci.cast.owner.post(f"{ci.path}/repository/tags", tag_name="v1", ref="master")
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
