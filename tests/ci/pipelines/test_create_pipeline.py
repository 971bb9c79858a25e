"""POST /projects/:id/pipeline."""

import pytest

from tests.harness.cases import Case, cases


@cases([
    Case("anonymous", "POST /projects/{public.id}/pipeline", 401, params={"ref": "master"}),
    Case("stranger", "POST /projects/{private.id}/pipeline", 404, {"message": "404 Project Not Found"}, {"ref": "master"}),
    Case("reporter", "POST /projects/{private.id}/pipeline", 403, {"message": "403 Forbidden"}, {"ref": "master"}, events=[]),
    Case("developer", "POST /projects/{private.id}/pipeline", 400, params={}),
    Case("developer", "POST /projects/{private.id}/pipeline", 400, {"message": {"base": ["Reference not found"]}},
         {"ref": "none"}, events=[]),
])  # fmt: skip
def test_who_may_run_a_pipeline(case, cast):
    case.holds(cast)


def run(ci, person=None, **params):
    return (person or ci.cast.owner).post(f"{ci.path}/pipeline", **{"ref": "master", **params})


def refusal(answer):
    assert answer.status == 400, answer
    [sentence] = answer.json["message"]["base"]
    return sentence


def test_a_pipeline_is_run_with_variables(ci):
    made = run(ci, variables=[{"key": "A", "value": "secret"}, {"key": "B", "value": "x", "variable_type": "file"}])
    assert made.status == 201, made
    shown = made.json
    assert (shown["source"], shown["before_sha"], shown["tag"], shown["status"]) == ("api", "0" * 40, False, "pending")
    assert (shown["user"]["id"], shown["sha"], shown["iid"]) == (ci.cast.owner.id, ci.sha, 2)
    here = f"{ci.path}/pipelines/{shown['id']}/variables"
    assert ci.cast.owner.get(here).json == [
        {"key": "A", "value": "secret", "variable_type": "env_var", "raw": False},
        {"key": "B", "value": "x", "variable_type": "file", "raw": False},
    ]
    assert ci.cast.value("SELECT count(*) FROM pipeline_variables WHERE value LIKE '%secret%'") == 0
    assert refusal(run(ci, variables=[{"key": "no name", "value": ""}])).startswith("Variables key")
    assert refusal(run(ci, variables={"²": "x"})).startswith("Variables key")
    assert refusal(run(ci, variables={"A": "x" * 10_001})).startswith("Variables value is too long")
    assert refusal(run(ci, variables={"1" * 5_000: "x"})).startswith("Variables key")


def test_the_variables_of_a_protected_branch_are_for_those_who_may_push_to_it(ci):
    cast = ci.cast
    cast.owner.post(f"{ci.path}/members", user_id=cast.developer.id, access_level=30)
    made = run(ci, variables={"A": "secret"}).json["id"]
    assert cast.developer.get(f"{ci.path}/pipelines/{made}/variables").json == {"message": "403 Forbidden"}
    cast.owner.delete(f"{ci.path}/protected_branches/master")
    assert cast.developer.get(f"{ci.path}/pipelines/{made}/variables").json[0]["value"] == "secret"


def test_protected_tags_are_protected_refs(ci):
    cast = ci.cast
    cast.owner.post(f"{ci.path}/members", user_id=cast.developer.id, access_level=30)
    cast.owner.post(f"{ci.path}/variables", key="DEPLOY_KEY", value="x", protected=True)
    cast.owner.post(f"{ci.path}/protected_tags", name="v*")
    ci.file("release: {script: b, rules: [{if: $DEPLOY_KEY}]}\nalways: {script: c}")
    for name in ("v1", "other"):
        assert cast.owner.post(f"{ci.path}/repository/tags", tag_name=name, ref="master").status == 201
    made = {name: run(ci, ref=name).json["id"] for name in ("v1", "other")}
    assert [job["name"] for job in ci.jobs(made["v1"])] == ["release", "always"]
    assert [job["name"] for job in ci.jobs(made["other"])] == ["always"]
    assert refusal(run(ci, cast.developer, ref="v1")) == "Insufficient permissions for protected ref 'v1'"
    assert run(ci, cast.developer, ref="other").status == 201
    assert cast.developer.post(f"{ci.path}/pipelines/{made['v1']}/cancel").status == 403
    assert cast.developer.post(f"{ci.path}/jobs/{ci.jobs(made['v1'])[0]['id']}/cancel").status == 403
    cast.owner.delete(f"{ci.path}/protected_tags/v*")
    assert cast.developer.post(f"{ci.path}/pipelines/{made['v1']}/cancel").status == 200


def test_the_variables_decide_which_jobs_there_are(ci):
    ci.file("a: {script: b}\nonly: {script: c, rules: [{if: $WANTED == 'yes'}]}")
    assert [job["name"] for job in ci.jobs(run(ci).json["id"])] == ["a"]
    wanted = run(ci, variables={"WANTED": "yes"}).json["id"]
    assert [job["name"] for job in ci.jobs(wanted)] == ["a", "only"]


def test_what_is_wrong_is_said_in_order(ci):
    cast = ci.cast
    cast.owner.post(f"{ci.path}/members", user_id=cast.developer.id, access_level=30)
    assert refusal(run(ci, cast.developer)) == "Insufficient permissions for protected ref 'master'"
    assert refusal(run(ci, ref=ci.sha)) == "Reference not found"
    cast.owner.put(ci.path, ci_config_path="ci/none.yml")
    assert refusal(run(ci)) == "Missing ci/none.yml file"
    cast.owner.put(ci.path, ci_config_path="")
    ci.file("rspec: {script: 1}")
    assert refusal(run(ci)) == "jobs:rspec:script config should be a string or an array of strings"
    ci.file("rspec: {script: x, only: [tags]}")
    assert refusal(run(ci)) == "No stages / jobs for this pipeline."
    count = len(ci.pipelines)
    cast.owner.put(ci.path, jobs_enabled=False)
    assert run(ci).status == 403
    assert len(ci.pipelines) == count


def test_developers_run_pipelines_of_branches_that_are_not_protected(ci):
    ci.commit(branch="topic", a="b")
    assert run(ci, ci.cast.inherited, ref="topic").status == 201


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_commit_of_a_pipeline_is_kept(ci, stage):
    [kept] = [path for path in stage.folder.rglob("keep-around/*") if path.name == ci.sha]
    assert kept.read_text().strip() == ci.sha
