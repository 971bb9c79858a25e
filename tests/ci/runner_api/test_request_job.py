"""POST /jobs/request."""

import contextlib

import pytest

from mujina.app import build_services
from mujina.ci.runner_api.operations import wait_for_job
from mujina.ci.runners.rules import authenticate_runner
from mujina.kernel import errors
from mujina.settings import Settings
from tests.harness.client import Raw

FULL = {
    "name": "rspec", "base_name": "rspec", "stage": "test", "before_script": ["bundle"], "script": ["rspec"],
    "after_script": ["rm -r x"], "image": {"name": "ruby", "entrypoint": ["sh"]},
    "services": [{"name": "postgres", "alias": "db", "command": ["run"]}],
    "variables": {"LEVEL": {"value": "high"}}, "tags": ["ruby"], "timeout": 1200,
    "artifacts": {"name": "x", "paths": ["out/"], "when": "always", "expire_in": "1 week"},
    "caches": [{"key": "$CI_JOB_NAME", "paths": ["vendor/"], "policy": "pull"}],
}  # fmt: skip


def status_of(cast, job):
    return cast.value("SELECT status FROM pipeline_jobs WHERE id = :id", id=job)


def same_pipeline(cast, job, *others):
    """Move the others into the pipeline of the job."""
    for other in others:
        cast.run(
            """UPDATE pipeline_jobs SET pipeline_id = (SELECT j.pipeline_id FROM pipeline_jobs j WHERE j.id = :job)
               WHERE id = :other""",
            job=job, other=other,
        )  # fmt: skip


def test_an_idle_runner_is_told_so_and_nothing_is_written(cast, new_runner):
    runner = new_runner(cast.private)
    first = runner.ask(info={"name": "gitlab-runner", "version": "10.5.0", "executor": "shell"})
    assert (first.status, first.body) == (204, b"")
    shown = cast.master.get(f"/runners/{runner.id}").json
    assert (shown["online"], shown["status"], shown["version"]) == (True, "online", "10.5.0")
    before = cast.database.statements
    idle = runner.ask(last_update=first.headers["x-gitlab-last-update"], info={"version": "10.6.0"})
    assert (idle.status, cast.database.statements - before) == (204, 3)
    assert cast.master.get(f"/runners/{runner.id}").json == shown


def test_unknown_and_paused_runners_get_nothing(cast, new_runner, new_job):
    new_job()
    assert cast.anonymous.post("/jobs/request", token="wrong").json == {"message": "403 Forbidden"}
    assert cast.anonymous.post("/jobs/request").status == 400
    assert new_runner(cast.private, paused=True).take() is None


def test_a_job_is_handed_out_with_everything_about_it(cast, new_runner, new_jobs):
    [job] = new_jobs(FULL).values()
    runner = new_runner(cast.private, tag_list="ruby,linux", description="fast", maximum_timeout=600)
    answer = runner.ask()
    assert (answer.status, answer.headers["content-type"]) == (201, "application/json")
    payload = answer.json
    variables = payload.pop("variables")
    token, path = payload["token"], cast.private.path
    assert payload == {
        "id": job, "token": token, "allow_git_fetch": True,
        "job_info": {"name": "rspec", "stage": "test", "project_id": cast.private.id, "project_name": "private"},
        "git_info": {
            "repo_url": f"http://gitlab-ci-token:{token}@mujina.test/{path}.git", "ref": "master", "sha": "a" * 40,
            "before_sha": "0" * 40, "ref_type": "branch", "refspecs": ["+refs/heads/master:refs/remotes/origin/master"],
            "depth": 0,
        },
        "runner_info": {"timeout": 600},
        "steps": [
            {"name": "script", "script": ["bundle", "rspec"], "timeout": 600, "when": "on_success", "allow_failure": False},
            {"name": "after_script", "script": ["rm -r x"], "timeout": 600, "when": "always", "allow_failure": True},
        ],
        "image": {"name": "ruby", "entrypoint": ["sh"]},
        "services": [{"name": "postgres", "entrypoint": None, "alias": "db", "command": ["run"]}],
        "artifacts": [{
            "name": "x", "untracked": False, "paths": ["out/"], "when": "always", "expire_in": "1 week", "exclude": [],
            "artifact_type": "archive", "artifact_format": "zip",
        }],
        "cache": [{
            "key": "$CI_JOB_NAME", "untracked": False, "paths": ["vendor/"], "policy": "pull", "when": "on_success",
            "fallback_keys": [],
        }],
        "credentials": [], "dependencies": [], "features": {"trace_sections": True},
    }  # fmt: skip
    values = {each["key"]: each["value"] for each in variables}
    assert (values["LEVEL"], values["CI_RUNNER_ID"], values["CI_JOB_TOKEN"]) == ("high", str(runner.id), token)
    assert status_of(cast, job) == "running"
    assert runner.take() is None


def test_a_job_without_extras_has_empty_lists(new_runner, new_jobs, cast):
    new_jobs({}, ref="v1", tag=True)
    payload = new_runner(cast.private).ask().json
    assert [payload[key] for key in ("image", "services", "artifacts", "cache")] == [None, [], [], []]
    assert [step["name"] for step in payload["steps"]] == ["script"]
    assert (payload["git_info"]["ref_type"], payload["runner_info"]) == ("tag", {"timeout": 3600})
    assert payload["git_info"]["refspecs"] == ["+refs/tags/v1:refs/tags/v1"]


def test_tags_decide(cast, new_runner, new_job):
    untagged, ruby, both = new_job(), new_job(tags=["ruby"]), new_job(tags=["linux", "ruby"])
    assert new_runner(cast.private, tag_list="linux", run_untagged=False).take() is None
    assert new_runner(cast.private, tag_list="ruby,mac", run_untagged=False).take() == ruby
    assert new_runner(cast.private, tag_list="Ruby,Linux").take() == untagged
    assert new_runner(cast.private, tag_list="ruby,linux,mac").take() == both
    assert new_runner(cast.private).take() is None


def test_a_protected_runner_takes_jobs_of_protected_refs_alone(cast, new_runner, new_job):
    first, guarded = new_job(), new_job(protected=True)
    assert new_runner(cast.private, access_level="ref_protected").take() == guarded
    assert new_runner(cast.private).take() == first


def test_runners_work_for_their_projects(cast, new_runner, new_job):
    job = new_job(cast.public)
    assert new_runner(cast.private).take() is None
    assert new_runner(group=cast.guild).take() is None
    cast.owner.put(f"/projects/{cast.public.id}", shared_runners_enabled=False)
    shared = new_runner()
    assert shared.take() is None
    above = new_runner(group=cast.company)
    cast.owner.put(f"/projects/{cast.public.id}", jobs_enabled=False)
    assert above.take() is None
    cast.owner.put(f"/projects/{cast.public.id}", jobs_enabled=True)
    assert above.take() == job
    cast.owner.put(f"/projects/{cast.public.id}", shared_runners_enabled=True)
    second = new_job(cast.public)
    assert shared.take() == second


def test_jobs_of_a_deleted_project_are_not_handed_out(cast, new_runner, new_job):
    new_job(cast.public)
    runner = new_runner(group=cast.team)
    cast.run("UPDATE projects SET deleted_at = '2018' WHERE id = :id", id=cast.public.id)
    assert runner.take() is None


def test_a_project_runner_takes_the_oldest_job(cast, new_runner, new_job):
    runner = new_runner(cast.private, tag_list="a,b")
    expected = [new_job(tags=["b"]), new_job(), new_job(tags=["a"]), new_job(protected=True), new_job(tags=["a", "b"])]
    assert [runner.take() for _ in range(6)] == [*expected, None]


def test_shared_runners_serve_the_project_first_that_keeps_fewer_of_them_busy(cast, new_runner, new_job):
    busy = [new_job(cast.private) for _ in range(3)]
    quiet = [new_job(cast.public) for _ in range(2)]
    own, shared = new_runner(cast.public), new_runner()
    assert own.take() == quiet[0]  # what other runners execute does not count
    order = [shared.take() for _ in range(4)]
    assert order == [busy[0], quiet[1], busy[1], busy[2]]


def test_a_job_whose_dependency_was_erased_fails_and_the_next_is_tried(cast, new_runner, new_jobs):
    runner = new_runner(cast.private)
    first = new_jobs({"name": "build", "stage": "build"})["build"]
    assert runner.take() == first
    cast.run("UPDATE pipeline_jobs SET status = 'success', erased_at = '2018' WHERE id = :id", id=first)
    ids = [
        *new_jobs({"name": "all"}, {"name": "named", "dependencies": ["build"]}, stage_index=1).values(),
        *new_jobs({"name": "none", "dependencies": []}, stage_index=1).values(),
    ]  # fmt: skip
    same_pipeline(cast, first, *ids)
    assert runner.take() == ids[2]
    failed = cast.rows("SELECT status, failure_reason FROM pipeline_jobs WHERE id IN (:a, :b)", a=ids[0], b=ids[1])
    assert failed == [("failed", "missing_dependency_failure")] * 2


def test_named_dependencies_come_with_their_tokens(cast, new_runner, new_jobs):
    runner = new_runner(cast.private)
    names = ["build 1/2", "build 2/2", "lint"]
    made = new_jobs(*({"name": name, "base_name": name, "stage": "build"} for name in names))
    taken = [runner.take() for _ in names]
    later = new_jobs({"name": "test", "dependencies": ["build"]}, stage_index=1)["test"]
    cast.run(
        "UPDATE pipeline_jobs SET status = 'success' WHERE id IN (:a, :b, :c)", **dict(zip("abc", taken, strict=True))
    )
    same_pipeline(cast, taken[0], later)
    payload = runner.ask().json
    assert payload["dependencies"] == [
        {"id": made[name], "name": name, "token": runner.job_tokens[made[name]]} for name in names[:2]
    ]


def test_artifacts_go_to_the_later_jobs_that_want_them(cast, new_runner, new_jobs):
    runner = new_runner(cast.private)
    build = new_jobs({"name": "build", "stage": "build"})["build"]
    assert runner.take() == build
    token = runner.job_tokens[build]
    raw = Raw.multipart({"file": ("out.zip", b"PK")})
    sent = Raw(body=raw.body, type=raw.type, headers={"JOB-TOKEN": token})
    assert cast.anonymous.post(f"/jobs/{build}/artifacts", sent).status == 201
    cast.run("UPDATE pipeline_jobs SET status = 'success' WHERE id = :id", id=build)
    later = new_jobs({"name": "all"}, {"name": "none", "dependencies": []}, stage_index=1)
    same_pipeline(cast, build, *later.values())
    got = {payload["job_info"]["name"]: payload["dependencies"] for payload in [runner.ask().json for _ in later]}
    file = {"filename": "out.zip", "size": 2}
    assert got == {"all": [{"id": build, "name": "build", "token": token, "artifacts_file": file}], "none": []}


def test_a_job_that_cannot_be_handed_out_fails_and_the_next_is_tried(cast, new_runner, new_jobs, new_job):
    runner = new_runner(cast.private)
    build = new_jobs({"name": "build"})["build"]
    assert runner.take() == build
    cast.run("UPDATE pipeline_jobs SET status = 'success', token = 'v1:lost:key' WHERE id = :id", id=build)
    broken, sound = new_jobs({"name": "test", "dependencies": ["build"]}, stage_index=1)["test"], new_job()
    same_pipeline(cast, build, broken)
    assert runner.take() == sound
    assert cast.rows("SELECT status, failure_reason FROM pipeline_jobs WHERE id = :id", id=broken) == [
        ("failed", "runner_system_failure")
    ]


@pytest.mark.parametrize("seconds", [0, 1])
def test_a_request_waits_for_a_job_as_long_as_the_setting_says(cast, new_runner, seconds):
    assert cast.root.put("/application/settings", runner_long_poll_seconds=seconds).status == 200
    runner = new_runner(cast.private)
    runner.ask()
    before = cast.database.statements
    assert runner.ask(last_update="x").status == 204
    assert cast.database.statements - before == 3 + 2 * seconds
    assert cast.root.put("/application/settings", runner_long_poll_seconds=51).status == 400


@pytest.mark.parametrize(("change", "expected"), [
    ("run_untagged = TRUE", "running"), ("run_untagged = TRUE, active = FALSE", "pending"),
    ("run_untagged = TRUE, token_digest = 'new'", "pending"),
])  # fmt: skip
def test_a_runner_that_waits_gets_what_it_may_have_by_then(
    cast, stage, database, new_runner, new_job, change, expected
):
    services = build_services(Settings(data=stage.folder, jobs="inline", password_kilobytes=64), database)
    runner, job = new_runner(cast.private, tag_list=["other"], run_untagged=False), new_job()

    async def wait() -> None:
        async with database.reading() as tx:
            row = await authenticate_runner(tx, runner.token)
        async with database.transaction() as tx:
            await tx.run(f"UPDATE runners SET {change} WHERE id = :id", id=row.id)
        with contextlib.suppress(errors.Forbidden):
            await wait_for_job(services, row, runner.token, 1)

    cast.anonymous.loop.run_until_complete(wait())
    assert status_of(cast, job) == expected
