"""What the CI file and the settings of the project say, as the runner of a job gets it."""

import pytest

NEWER = {"name": "gitlab-runner", "version": "17.5.0"}


@pytest.fixture
def project(cast):
    return f"/projects/{cast.private.id}"


def test_the_settings_of_the_project_reach_the_runner(cast, project, new_runner, new_jobs):
    new_jobs({"name": "plain"}, {"name": "own", "timeout": 700})
    settings = {"build_timeout": 1_800, "build_git_strategy": "clone", "ci_default_git_depth": 20}
    changed = cast.master.put(project, **settings)
    assert {name: changed.json[name] for name in settings} == settings
    runner = new_runner(cast.private)
    plain, own = runner.ask().json, runner.ask().json
    assert (plain["allow_git_fetch"], plain["git_info"]["depth"], plain["runner_info"]) == (
        False,
        20,
        {"timeout": 1_800},
    )
    assert [step["timeout"] for step in plain["steps"]] == [1_800]
    assert own["runner_info"] == {"timeout": 700}
    new_jobs({})
    assert new_runner(cast.private, maximum_timeout=600).ask().json["runner_info"] == {"timeout": 600}


def test_containers_and_hooks_are_passed_on(cast, new_runner, new_jobs):
    new_jobs({
        "image": {"name": "ruby", "options": {"pull_policy": ["always"], "docker": {"user": "dave"}}},
        "services": [{"name": "postgres", "variables": {"PASSWORD": "x"}, "options": {"pull_policy": ["never"]}}],
        "hooks": {"pre_get_sources_script": ["git config x y"]},
    })  # fmt: skip
    payload = new_runner(cast.private).ask().json
    assert payload["image"] == {
        "name": "ruby", "entrypoint": None, "pull_policy": ["always"], "executor_opts": {"docker": {"user": "dave"}},
    }  # fmt: skip
    assert payload["services"] == [{
        "name": "postgres", "entrypoint": None, "alias": None, "command": None, "pull_policy": ["never"],
        "variables": [{"key": "PASSWORD", "value": "x"}],
    }]  # fmt: skip
    assert payload["hooks"] == [{"name": "pre_get_sources_script", "script": ["git config x y"]}]


def test_reports_are_uploaded_by_runners_that_tell_them_from_the_archive(cast, new_runner, new_jobs):
    archive = {"paths": ["out/"], "reports": {"junit": ["a.xml", "b.xml"]}, "expire_in": "1 day"}
    for _ in range(3):
        new_jobs({"artifacts": archive})
    new_jobs({"artifacts": {"reports": {"terraform": ["plan.json"]}}})

    def kinds(info):
        return [each["artifact_type"] for each in new_runner(cast.private).ask(info=info).json["artifacts"]]

    assert kinds({"name": "gitlab-runner", "version": "10.5.0"}) == ["archive"]
    assert kinds({"name": "other-runner", "version": "17.5.0"}) == ["archive"]
    [_, junit] = new_runner(cast.private).ask(info=NEWER).json["artifacts"]
    assert junit == {
        "name": "junit", "untracked": False, "paths": ["a.xml", "b.xml"], "when": "always", "expire_in": "1 day",
        "exclude": [], "artifact_type": "junit", "artifact_format": "gzip",
    }  # fmt: skip
    assert kinds(NEWER) == ["terraform"]


def test_one_job_of_a_resource_group_runs_at_a_time(browse, cast, new_runner, new_jobs):
    first = new_jobs({"name": "one"}, {"name": "two"}, resource_group="production")
    other = new_jobs({"name": "free"})["free"]
    elsewhere = new_jobs({"name": "far"}, project=cast.public, resource_group="production")["far"]
    runner = new_runner(cast.private)
    assert runner.take() == first["one"]
    pages, path = browse("developer"), cast.developer.get(f"/projects/{cast.private.id}").json["path_with_namespace"]
    assert "is waiting for its resource group" in pages.open(f"/{path}/-/jobs/{first['two']}").text
    assert "is waiting for a runner" in pages.open(f"/{path}/-/jobs/{other}").text
    assert runner.take() == other
    assert runner.take() is None
    assert new_runner(cast.public).take() == elsewhere
    assert runner.put(first["one"], state="success").status == 200
    assert runner.take() == first["two"]
    again = cast.developer.post(f"/projects/{cast.private.id}/jobs/{first['one']}/retry").json["id"]
    assert runner.take() is None
    runner.put(first["two"], state="failed")
    assert runner.take() == again


class Library:
    """A public project whose newest successful pipeline has artifacts."""

    def __init__(self, cast, new_jobs, new_runner):
        self.job = new_jobs({"name": "build"}, project=cast.public, ref="main")["build"]
        self.runner = new_runner(cast.public)
        assert self.runner.take() == self.job
        cast.run(
            """INSERT INTO job_artifacts (project_id, job_id, file_type, file_format, filename, size, sha256, file, created_at)
               VALUES (:project, :job, 'archive', 'zip', 'lib.zip', 5, '', 'x', '')""",
            project=cast.public.id, job=self.job,
        )  # fmt: skip
        self.runner.put(self.job, state="success")
        cast.run("UPDATE pipelines SET status = 'success' WHERE project_id = :id", id=cast.public.id)


def test_artifacts_of_another_project_are_fetched_with_the_token_of_the_job_that_needs_them(cast, new_runner, new_jobs):
    library = Library(cast, new_jobs, new_runner)
    need = {"job": "build", "project": "$OWNER/public", "ref": "$BRANCH"}
    owner = cast.public.path.rpartition("/")[0]
    variables = {"OWNER": {"value": owner}, "BRANCH": {"value": "main"}}
    new_jobs({"name": "user", "needs": [need], "variables": variables})
    payload = new_runner(cast.private).ask().json
    assert payload["dependencies"] == [
        {
            "id": library.job,
            "name": "build",
            "token": payload["token"],
            "artifacts_file": {"filename": "lib.zip", "size": 5},
        }
    ]


@pytest.mark.parametrize("change", [{"ref": "none"}, {"project": "no/where"}, {"job": "test"}])
def test_a_job_that_needs_what_another_project_lacks_fails(cast, new_runner, new_jobs, change):
    Library(cast, new_jobs, new_runner)
    need = {"job": "build", "project": cast.public.path, "ref": "main", **change}
    job = new_jobs({"name": "user", "needs": [need]})["user"]
    assert new_runner(cast.private).take() is None
    failed = cast.rows("SELECT status, failure_reason FROM pipeline_jobs WHERE id = :id", id=job)
    assert failed == [("failed", "missing_dependency_failure")]


def test_a_job_gets_nothing_of_a_project_that_its_user_may_not_read(cast, new_runner, new_jobs):
    Library(cast, new_jobs, new_runner)
    cast.run("UPDATE projects SET visibility = 'private' WHERE id = :id", id=cast.public.id)
    cast.run("DELETE FROM members WHERE user_id = :id", id=cast.developer.id)
    new_jobs({"name": "user", "needs": [{"job": "build", "project": cast.public.path, "ref": "main"}]})
    assert new_runner(cast.private).take() is None


def test_a_job_needs_nothing_of_a_project_that_does_not_let_it_in(cast, new_runner, new_jobs):
    Library(cast, new_jobs, new_runner)
    cast.run("UPDATE projects SET visibility = 'private' WHERE id = :id", id=cast.public.id)
    scope, runner = f"/projects/{cast.public.id}/job_token_scope", new_runner(cast.private)
    need = {"name": "user", "needs": [{"job": "build", "project": cast.public.path, "ref": "main"}]}
    assert cast.master.patch(scope, enabled=True).status == 204
    new_jobs(need)
    assert runner.take() is None
    assert cast.master.post(f"{scope}/allowlist", target_project_id=cast.private.id).status == 201
    assert new_jobs(need)["user"] == runner.take()
