"""What a job gets, and what the conditions of a CI file may ask for."""

import pytest

from mujina.ci.language.config import FileVariable, JobEnvironment, Parallel
from mujina.ci.variables.job_variables import pipeline_variables_context
from mujina.ci.variables.predefined import VariablePipeline
from mujina.ci.variables.values import effective, ref_slug, scope_rank
from tests.ci.variables.conftest import MESSAGE, TOKEN

SLUGS = {
    "feature/X_1": "feature-x-1", "--a--": "a", "UPPER.case": "upper-case", "x" * 70: "x" * 63, "x" * 62 + "/y": "x" * 62,
    "ä": "", "1.0": "1-0",
}  # fmt: skip


@pytest.mark.parametrize(("name", "slug"), SLUGS.items())
def test_a_slug_fits_a_host_name(name, slug):
    assert ref_slug(name) == slug


def test_scopes_are_ranked_by_how_closely_they_match():
    scopes = ["production", "review/app", "*", "review/*", "r*", "*/app", "staging"]
    ranked = [(rank, scope) for scope in scopes if (rank := scope_rank(scope, "review/app")) is not None]
    assert [scope for _, scope in sorted(ranked)] == ["*", "r*", "*/app", "review/*", "review/app"]
    assert [scope for scope in scopes if scope_rank(scope, None) is not None] == ["*"]


def test_a_job_gets_the_predefined_variables(cast, new_job, variables_of):
    job_id = new_job(iid=12, before_sha="b" * 40, run_when="manual")
    found = variables_of(job_id)
    values = effective(found)
    project = cast.developer.get(f"/projects/{cast.private.id}").json
    path = cast.private.path
    version = cast.developer.get("/version").json
    assert values | {
        "CI": "true", "GITLAB_CI": "true", "CI_SERVER_NAME": "Mujina", "CI_SERVER_VERSION": version["version"],
        "CI_SERVER_REVISION": version["revision"], "CI_SERVER_URL": "http://localhost", "CI_SERVER_HOST": "localhost",
        "CI_API_V4_URL": "http://localhost/api/v4",
        "CI_JOB_ID": str(job_id), "CI_JOB_NAME": "rspec", "CI_JOB_STAGE": "test", "CI_JOB_TOKEN": TOKEN,
        "CI_JOB_MANUAL": "true", "CI_JOB_URL": f"http://localhost/{path}/-/jobs/{job_id}",
        "CI_REGISTRY_USER": "gitlab-ci-token", "CI_REGISTRY_PASSWORD": TOKEN,
        "CI_REPOSITORY_URL": f"http://gitlab-ci-token:{TOKEN}@localhost/{path}.git",
        "CI_COMMIT_SHA": "a" * 40, "CI_COMMIT_SHORT_SHA": "a" * 8, "CI_COMMIT_BEFORE_SHA": "b" * 40,
        "CI_COMMIT_REF_NAME": "feature/X_1", "CI_COMMIT_REF_SLUG": "feature-x-1", "CI_COMMIT_BRANCH": "feature/X_1",
        "CI_COMMIT_REF_PROTECTED": "false", "CI_COMMIT_MESSAGE": MESSAGE, "CI_COMMIT_TITLE": "Add a file",
        "CI_COMMIT_DESCRIPTION": "For a reason.",
        "CI_PROJECT_ID": str(cast.private.id), "CI_PROJECT_NAME": "private", "CI_PROJECT_TITLE": project["name"],
        "CI_PROJECT_PATH": path, "CI_PROJECT_PATH_SLUG": path.replace("/", "-"),
        "CI_PROJECT_NAMESPACE": cast.team.path, "CI_PROJECT_ROOT_NAMESPACE": "company",
        "CI_PROJECT_URL": f"http://localhost/{path}", "CI_PROJECT_VISIBILITY": "private",
        "CI_CONFIG_PATH": ".gitlab-ci.yml", "CI_PIPELINE_IID": "12", "CI_PIPELINE_SOURCE": "push",
        "CI_RUNNER_ID": "7", "CI_RUNNER_DESCRIPTION": "A runner", "CI_RUNNER_TAGS": "docker, linux",
        "GITLAB_USER_ID": str(cast.developer.id), "GITLAB_USER_LOGIN": "developer",
        "CI_BUILD_ID": str(job_id), "CI_BUILD_TOKEN": TOKEN, "CI_BUILD_REF": "a" * 40, "CI_BUILD_BEFORE_SHA": "b" * 40,
        "CI_BUILD_REF_NAME": "feature/X_1", "CI_BUILD_REF_SLUG": "feature-x-1", "CI_BUILD_NAME": "rspec",
        "CI_BUILD_STAGE": "test", "CI_BUILD_MANUAL": "true",
    } == values  # fmt: skip
    assert {"GITLAB_USER_EMAIL", "GITLAB_USER_NAME", "GITLAB_FEATURES", "CI_PIPELINE_ID", "CI_PIPELINE_URL"} <= set(
        values
    )
    assert not {"CI_COMMIT_TAG", "CI_PIPELINE_TRIGGERED", "CI_ENVIRONMENT_NAME", "CI_MERGE_REQUEST_ID"} & set(values)
    assert all(each.masked and not each.public for each in found if TOKEN in each.value)
    assert all(each.public for each in found if TOKEN not in each.value)


def test_a_tag_and_a_trigger_have_variables_of_their_own(new_job, variables_of):
    values = effective(variables_of(new_job(ref="v1.0", tag=True, source="trigger")))
    assert (values["CI_COMMIT_TAG"], values["CI_BUILD_TAG"], values["CI_PIPELINE_TRIGGERED"]) == (
        "v1.0",
        "v1.0",
        "true",
    )
    assert values["CI_BUILD_TRIGGERED"] == "true"
    assert not {"CI_COMMIT_BRANCH", "CI_JOB_MANUAL"} & set(values)
    assert values["CI_COMMIT_BEFORE_SHA"] == "0" * 40


def test_all_ranks_follow_each_other_and_duplicates_are_kept(cast, new_job, variables_of):
    """The instance < the root group < groups below < the project by scope < what the pipeline was started with."""
    project = f"/projects/{cast.private.id}/variables"
    assert cast.root.post("/admin/ci/variables", key="X", value="instance").status == 201
    for group in (cast.team, cast.company, cast.department):
        assert cast.root.post(f"/groups/{group.id}/variables", key="X", value=f"of {group.path}").status == 201
    for scope in ("review/app", "*", "review/*", "production"):
        cast.master.post(project, key="X", value=f"for {scope}", environment_scope=scope)
    cast.root.post(f"/groups/{cast.guild.id}/variables", key="X", value="another group")
    cast.master.post(f"/projects/{cast.public.id}/variables", key="X", value="another project")
    cast.master.post(project, key="CI_ENVIRONMENT_NAME", value="not the environment")
    options = {
        "variables": {"X": FileVariable("file"), "CI": FileVariable("$file", expand=False), "GITLAB_USER_LOGIN": FileVariable("x")},
        "environment": JobEnvironment(name="review/app", url="https://$X.example.org/$CI_JOB_STAGE/$CI_ENVIRONMENT_NAME"),
        "parallel": Parallel(1, 3),
    }  # fmt: skip
    found = variables_of(new_job(options, {"X": "trigger"}))
    assert [each.value for each in found if each.key == "X"] == [
        "file", "instance", "of company", "of company/department", "of company/department/team", "for *", "for review/*",
        "for review/app", "trigger",
    ]  # fmt: skip
    assert [each.public for each in found if each.key == "X"] == [True] + [False] * 8
    assert [(each.value, each.raw) for each in found if each.key == "CI"] == [("true", False), ("$file", True)]
    assert [each.value for each in found if each.key == "GITLAB_USER_LOGIN"] == ["x", "developer"]
    values = effective(found)
    assert values["CI_ENVIRONMENT_NAME"] == "review/app"
    assert values["CI_ENVIRONMENT_URL"] == "https://trigger.example.org/test/review/app"
    assert (values["CI_NODE_INDEX"], values["CI_NODE_TOTAL"]) == ("1", "3")


def test_only_jobs_of_protected_refs_get_protected_variables(cast, new_job, variables_of):
    cast.master.post(f"/projects/{cast.private.id}/variables", key="DEPLOY_KEY", value="x", protected=True)
    cast.owner.post(f"/groups/{cast.team.id}/variables", key="GROUP_KEY", value="x", protected=True)
    cast.root.post("/admin/ci/variables", key="INSTANCE_KEY", value="x", protected=True)
    keys = {"DEPLOY_KEY", "GROUP_KEY", "INSTANCE_KEY"}
    assert not keys & set(effective(variables_of(new_job())))
    assert keys <= set(effective(variables_of(new_job(protected=True))))


def test_a_merge_request_from_a_fork_never_gets_protected_variables(cast, new_job, variables_of):
    cast.master.post(f"/projects/{cast.private.id}/variables", key="DEPLOY_KEY", value="x", protected=True)

    def keys(source_project_id):
        cast.run(
            """INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch, title,
                   title_folded, author_id, created_at, updated_at)
               VALUES (:project_id, :iid, :source, 'topic', 'master', 'T', 't', :author, '2018-01-01', '2018-01-01')""",
            project_id=cast.private.id, iid=source_project_id, source=source_project_id, author=cast.developer.id,
        )  # fmt: skip
        request_id = cast.value("SELECT max(id) FROM merge_requests")
        values = effective(
            variables_of(new_job(protected=True, merge_request_id=request_id, source="merge_request_event"))
        )
        assert values["CI_MERGE_REQUEST_TARGET_BRANCH_NAME"] == "master"
        assert values["CI_MERGE_REQUEST_PROJECT_PATH"] == cast.private.path
        assert "CI_COMMIT_BRANCH" not in values
        return set(values)

    assert "DEPLOY_KEY" in keys(cast.private.id)
    assert "DEPLOY_KEY" not in keys(cast.public.id)


def test_files_and_masked_values_are_marked(cast, new_job, variables_of):
    here = f"/projects/{cast.private.id}/variables"
    params = {"key": "CONFIG", "value": "a-secret-file", "variable_type": "file", "masked": True, "raw": True}
    assert cast.master.ask("POST", here, params=params).status == 201
    [found] = [each for each in variables_of(new_job()) if each.key == "CONFIG"]
    assert (found.value, found.file, found.masked, found.raw, found.public) == (
        "a-secret-file",
        True,
        True,
        True,
        False,
    )


def test_conditions_see_variables_before_the_pipeline_exists(cast, services):
    project = f"/projects/{cast.private.id}/variables"
    cast.master.post(project, key="X", value="project")
    cast.master.post(project, key="Y", value="project")
    cast.master.post(project, key="SCOPED", value="x", environment_scope="production")
    cast.master.post(project, key="PROTECTED", value="x", protected=True)
    pipeline = VariablePipeline(ref="main", tag=False, sha="a" * 40, source="api", protected=False)
    found = cast.transact(
        lambda tx: pipeline_variables_context(
            tx, services, cast.private.id, pipeline, user_id=cast.developer.id, message="Hello", given={"Y": "given"}
        )
    )
    values = effective(found)
    assert (values["X"], values["Y"], values["CI_COMMIT_BRANCH"], values["CI_PIPELINE_SOURCE"]) == (
        "project", "given", "main", "api",
    )  # fmt: skip
    assert (values["CI_COMMIT_TITLE"], values["GITLAB_USER_LOGIN"]) == ("Hello", "developer")
    assert not {"SCOPED", "PROTECTED", "CI_JOB_ID", "CI_PIPELINE_ID", "CI_JOB_TOKEN"} & set(values)
