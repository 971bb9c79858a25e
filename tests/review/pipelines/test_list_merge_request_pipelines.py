"""GET /projects/:id/merge_requests/:merge_request_iid/pipelines, and the pipeline that a request shows."""

import pytest


@pytest.fixture
def report(cast, code):
    def post(sha, state="success", ref="topic", person=None, path=None, **params):
        answer = (person or cast.developer).post(f"{path or code.path}/statuses/{sha}", state=state, ref=ref, **params)
        assert answer.status == 201, answer
        return answer.json["pipeline_id"]

    return post


def test_a_request_shows_the_pipelines_of_its_commits(cast, code, report):
    path = f"{code.requests}/{code.open().json['iid']}"
    shown = cast.anonymous.get(path).json
    assert (shown["pipeline"], shown["head_pipeline"]) == (None, None)
    assert cast.anonymous.get(f"{path}/pipelines").json == []
    report(code.topic, ref="other")
    report(code.first)
    first = report(code.topic, "running", coverage=50)
    second = report(code.commit("topic", later="x"), "failed")
    listed = cast.anonymous.get(f"{path}/pipelines")
    assert [each["id"] for each in listed.json] == [second, first]
    assert listed.headers["X-Total"] == "2"
    assert [each["id"] for each in cast.anonymous.get(f"{path}/pipelines", per_page=1, page=2).json] == [first]
    shown = cast.anonymous.get(path).json
    assert shown["pipeline"] == listed.json[0]
    assert listed.json[0].items() <= shown["head_pipeline"].items()
    assert set(shown["head_pipeline"]) - set(shown["pipeline"]) == {
        "before_sha", "tag", "yaml_errors", "user", "started_at", "finished_at", "committed_at", "duration", "coverage",
        "detailed_status", "queued_duration",
    }  # fmt: skip
    assert shown["head_pipeline"]["user"]["id"] == cast.developer.id
    assert cast.developer.delete(f"{code.path}/repository/branches/topic").status == 204
    assert len(cast.anonymous.get(f"{path}/pipelines").json) == 2


def test_pipelines_are_shown_to_those_who_may_read_them(cast, code, fork, report):
    head = fork.commit("topic", person=cast.stranger, forked="x")
    path = f"{code.requests}/{fork.open(cast.stranger, target_project_id=code.id).json['iid']}"
    made = report(head, person=cast.stranger, path=fork.path)

    def seen(person):
        pipeline = person.get(path).json["head_pipeline"]
        return pipeline and pipeline["id"], [each["id"] for each in person.get(f"{path}/pipelines").json]

    assert seen(cast.anonymous) == seen(cast.reporter) == (made, [made])
    cast.stranger.put(fork.path, visibility="private")
    assert seen(cast.stranger) == (made, [made])
    assert seen(cast.reporter) == (None, [])
    cast.owner.put(code.path, visibility="internal", public_jobs=False)
    # Without the right to read pipelines, it makes no difference whether there is such a request.
    assert [cast.guest.get(f"{code.requests}/{iid}/pipelines").status for iid in (1, 99)] == [403, 403]
    assert [cast.reporter.get(f"{code.requests}/{iid}/pipelines").status for iid in (1, 99)] == [200, 404]
    assert cast.anonymous.get(f"{path}/pipelines").status == 404
