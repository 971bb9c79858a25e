"""POST /projects/:id/trigger/pipeline and /projects/:id/ref/:ref/trigger/pipeline."""

import pytest

from mujina.ci.jobs import operations as jobs
from mujina.kernel.secrets import Vault, new_key
from tests.harness.client import Raw
from tests.harness.pipeline_jobs import start_job

NOT_FOUND = {"message": "404 Not Found"}
NOT_A_MAP = {"message": "variables needs to be a map of key-valued strings"}


@pytest.fixture
def token(ci):
    return ci.cast.owner.post(f"{ci.path}/triggers", description="Nightly").json["token"]


def test_a_token_starts_a_pipeline_as_the_owner_of_the_trigger(cast, ci, token):
    started = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master", variables={"A": "b"})
    assert started.status == 201, started
    assert (started.json["ref"], started.json["source"], started.json["user"]["username"]) == (
        "master",
        "trigger",
        "owner",
    )
    shown = cast.owner.get(f"{ci.path}/pipelines/{started.json['id']}/variables").json
    assert [(each["key"], each["value"]) for each in shown] == [("A", "b")]
    assert cast.owner.get(f"{ci.path}/triggers").json[0]["last_used"] is not None


def test_the_ref_may_be_part_of_the_path_and_variables_part_of_a_form(cast, ci, token):
    assert cast.owner.post(f"{ci.path}/repository/branches", branch="feature/x", ref="master").status == 201
    form = Raw(
        body=f"token={token}&variables[A]=b".encode(), headers={"content-type": "application/x-www-form-urlencoded"}
    )
    started = cast.anonymous.ask("POST", f"{ci.path}/ref/feature%2Fx/trigger/pipeline", form)
    assert (started.status, started.json["ref"]) == (201, "feature/x")
    assert cast.value("SELECT count(*) FROM pipeline_variables") == 1


def test_wrong_tokens_and_tokens_of_other_projects_are_not_found(cast, ci, token):
    for project, given in ((ci.id, "wrong"), (ci.id, ""), (cast.public.id, token), (999_999, token)):
        answer = cast.anonymous.post(f"/projects/{project}/trigger/pipeline", token=given, ref="master")
        assert (answer.status, answer.json) == (404, NOT_FOUND)
    assert cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token).json["error"] == "ref is missing"
    missing = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="none")
    assert (missing.status, missing.json) == (400, {"message": {"base": ["Reference not found"]}})


@pytest.mark.parametrize("variables", ["x", ["x"], {"A": 1}, {"A": {"b": "c"}}, {"A": None}, {"A": "\0"}])
def test_variables_are_a_map_of_texts(cast, ci, token, variables):
    answer = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master", variables=variables)
    assert (answer.status, answer.json) == (400, NOT_A_MAP)


def test_a_pipeline_runs_with_the_rights_that_the_owner_has_now(cast, ci, token):
    assert cast.root.post(f"/users/{cast.owner.id}/block").status == 201
    answer = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master")
    assert (answer.status, answer.json) == (404, NOT_FOUND)
    assert cast.root.post(f"/users/{cast.owner.id}/unblock").status == 201
    assert cast.root.post(f"/projects/{ci.id}/archive").status == 201
    refused = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master")
    assert refused.json == {"message": {"base": ["Insufficient permissions to create a new pipeline"]}}


def test_a_running_job_starts_a_pipeline_of_another_project(cast, ci):
    vault, job_id = Vault(new_key()), ci.job("compile")["id"]
    token = start_job(cast, vault, job_id)
    started = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master")
    assert (started.status, started.json["source"], started.json["user"]["username"]) == (201, "pipeline", "owner")
    elsewhere = cast.anonymous.post(f"/projects/{cast.private.id}/trigger/pipeline", token=token, ref="master")
    assert elsewhere.status == 400
    cast.transact(lambda tx: jobs.finish(tx, job_id, "success"))
    over = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master")
    assert (over.status, over.json) == (400, {"message": "400 Job has to be running"})


def test_jobs_start_pipelines_ten_times_in_a_row_and_not_for_ever(cast, ci):
    token = start_job(cast, Vault(new_key()), ci.job("compile")["id"])
    cast.run("UPDATE pipelines SET depth = 9")
    started = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=token, ref="master")
    assert started.status == 201
    last = start_job(cast, Vault(new_key()), ci.job("compile", started.json["id"])["id"])
    refused = cast.anonymous.post(f"{ci.path}/trigger/pipeline", token=last, ref="master")
    assert (refused.status, "one pipeline after the other" in refused.json["message"]["base"][0]) == (400, True)


def test_the_token_of_a_job_goes_with_its_project(cast, ci):
    vault, job_id = Vault(new_key()), ci.job("compile")["id"]
    token = start_job(cast, vault, job_id)
    assert cast.owner.delete(ci.path).status == 204
    answer = cast.anonymous.post(f"/projects/{cast.private.id}/trigger/pipeline", token=token, ref="master")
    assert (answer.status, answer.json) == (404, NOT_FOUND)
