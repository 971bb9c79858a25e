"""What jobs do to environments, and the deployments that remain."""

import pytest

from tests.harness.client import Raw


@pytest.fixture
def deployed(ci, work):
    """A review environment, deployed from a branch."""
    ci.commit(branch="Topic", **{"file.txt": "x"})
    ci.finish("review")
    work()
    return ci.environments["review/Topic"]


def test_environments_exist_as_soon_as_the_pipeline_does(ci):
    assert set(ci.environments) == {"production/master", "review/master", "production"}
    assert {each["state"] for each in ci.environments.values()} == {"available"}
    ci.commit(branch="Topic", **{"file.txt": "x"})
    assert "review/Topic" in ci.environments


def test_a_job_that_succeeds_has_made_a_deployment(cast, ci, deployed, work):
    assert deployed["external_url"] == f"https://{deployed['slug']}.eu.example.org/"
    [made] = cast.owner.get(f"{ci.path}/deployments").json
    job = ci.job("review")
    assert (made["iid"], made["ref"], made["sha"], made["status"]) == (1, "Topic", job["commit"]["id"], "success")
    assert (made["user"]["username"], made["deployable"]["id"], made["deployable"]["name"]) == (
        "owner",
        job["id"],
        "review",
    )
    assert made["environment"] == {name: deployed[name] for name in ("id", "name", "slug", "external_url")}
    assert cast.owner.get(f"{ci.path}/deployments/{made['id']}").json == made
    assert cast.owner.get(f"{ci.path}/environments/{deployed['id']}").json["last_deployment"] == made
    cast.run(
        "INSERT INTO jobs (task, key, owner_id, enqueued, ready_at, created_at) VALUES ('deployments.record', :key, 0, 1, '', '')",
        key=str(job["id"]),
    )
    work()
    assert len(cast.owner.get(f"{ci.path}/deployments").json) == 1
    missing = cast.owner.get(f"{ci.path}/deployments/999")
    assert (missing.status, missing.json) == (404, {"message": "404 Deployment Not Found"})
    assert cast.stranger.get(f"{ci.path}/deployments").status == 404


def test_a_job_that_fails_has_deployed_nothing(cast, ci, work):
    ci.finish("review", "failed", "script_failure")
    work()
    assert cast.owner.get(f"{ci.path}/deployments").json == []


def test_deployments_are_sorted_and_filtered(cast, ci, deployed, work):
    cast.owner.post(f"{ci.path}/jobs/{ci.job('production')['id']}/play")
    ci.finish("production")
    work()

    def iids(**params):
        return [each["iid"] for each in cast.owner.get(f"{ci.path}/deployments", **params).json]

    assert (iids(), iids(sort="desc"), iids(order_by="ref", sort="desc")) == ([1, 2], [2, 1], [2, 1])
    assert (iids(environment="production"), iids(status="failed"), iids(status="skipped")) == ([2], [], [])

    cast.run("UPDATE deployments SET updated_at = '2018-02-14T10:00:00.000Z' WHERE iid = 1")
    assert (iids(updated_before="2018-02-14T10:00:00Z"), iids(updated_after="2018-02-15")) == ([1], [2])
    assert iids(updated_after="2018-02-14", updated_before="2018-02-14T09:00:00Z") == []
    assert cast.owner.get(f"{ci.path}/deployments", updated_after="soon").json == {"error": "updated_after is invalid"}


def test_stopping_an_environment_plays_the_job_that_stops_it(cast, ci, deployed, work):
    stopped = cast.owner.post(f"{ci.path}/environments/{deployed['id']}/stop")
    assert (stopped.status, stopped.json["state"]) == (200, "stopped")
    assert ci.job("stop_review")["status"] == "pending"
    ci.finish("stop_review")
    work()
    assert ci.environments["review/Topic"]["state"] == "stopped"
    assert cast.owner.post(f"{ci.path}/environments/{deployed['id']}/stop").json["state"] == "stopped"
    assert [job["name"] for job in ci.jobs()].count("stop_review") == 1
    assert len(cast.owner.get(f"{ci.path}/deployments").json) == 1


def test_the_success_of_a_stop_job_stops_the_environment(cast, ci, deployed, work):
    cast.owner.post(f"{ci.path}/jobs/{ci.job('stop_review')['id']}/play")
    ci.finish("stop_review")
    work()
    assert ci.environments["review/Topic"]["state"] == "stopped"
    job_id = ci.job("review")["id"]
    cast.owner.post(f"{ci.path}/jobs/{job_id}/retry")
    ci.finish("review")
    work()
    assert ci.environments["review/Topic"]["state"] == "available"


def test_deleting_a_branch_stops_what_was_deployed_from_it(cast, ci, deployed, work):
    assert cast.owner.delete(f"{ci.path}/repository/branches/Topic").status == 204
    work()
    assert ci.environments["review/Topic"]["state"] == "stopped"
    assert ci.environments["production"]["state"] == "available"
    assert (
        cast.value("SELECT j.status FROM pipeline_jobs j WHERE j.name = 'stop_review' ORDER BY j.id DESC LIMIT 1")
        == "pending"
    )


def test_the_deployments_of_an_environment_go_with_it_and_stay_when_their_pipeline_goes(cast, ci, deployed):
    pipeline = f"{ci.path}/pipelines/{ci.pipelines[0]['id']}"
    older = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2018 00:00:00 GMT"})
    assert cast.owner.delete(pipeline, older).status == 412
    assert cast.owner.delete(pipeline).status == 204
    [left] = cast.owner.get(f"{ci.path}/deployments").json
    assert left["deployable"] is None
    assert cast.owner.delete(f"{ci.path}/environments/{deployed['id']}").status == 204
    assert cast.owner.get(f"{ci.path}/deployments").json == []


def test_deployments_of_other_systems_are_reported(cast, ci):
    here = f"{ci.path}/deployments"
    given = {"environment": "elsewhere", "sha": ci.sha, "ref": "master", "tag": False, "status": "running"}
    assert cast.stranger.post(here, **given).status == 404
    made = cast.inherited.post(here, **given)
    assert (made.status, made.json["status"], made.json["deployable"]) == (201, "running", None)
    assert made.json["environment"]["name"] == "elsewhere"
    there = f"{ci.path}/environments/{made.json['environment']['id']}"
    assert cast.owner.get(there).json["last_deployment"] is None
    edited = cast.inherited.put(f"{here}/{made.json['id']}", status="success")
    assert (edited.status, edited.json["status"]) == (200, "success")
    assert cast.owner.get(there).json["last_deployment"]["id"] == made.json["id"]
    assert cast.inherited.post(here, **{**given, "environment": "a:b", "ref": ""}).status == 400
    assert cast.inherited.post(here, **{**given, "sha": "f" * 40}).json == {"message": "404 Commit Not Found"}


def test_only_external_deployments_change_by_request(cast, ci, deployed):
    [made] = cast.owner.get(f"{ci.path}/deployments").json
    refused = cast.owner.put(f"{ci.path}/deployments/{made['id']}", status="failed")
    assert refused.json == {"message": "403 Forbidden - Deployment of a job"}


def test_a_masked_variable_shows_neither_in_the_name_nor_in_the_address_of_an_environment(cast, ci, work):
    hidden = {"key": "HIDDEN", "value": "zanzibar-42", "masked": True}
    assert cast.owner.post(f"{ci.path}/variables", **hidden).status == 201
    file = """
review:
  script: deploy
  rules: [{if: '$HIDDEN == "zanzibar-42"'}]
  environment: {name: review/$HIDDEN-x, url: "https://$HIDDEN.$CI_ENVIRONMENT_SLUG.example.org/"}
"""
    ci.commit(action="update", **{".gitlab-ci.yml": file})
    ci.finish("review")
    work()
    made = ci.environments["review/-x"]
    assert made["external_url"] is None or "zanzibar" not in made["external_url"]
    assert cast.owner.get(f"{ci.path}/deployments").json[0]["environment"]["id"] == made["id"]
    assert "zanzibar" not in str(ci.environments)
