"""Files as projects of today have them: each is accepted, and makes the pipelines that its author expects."""

from pathlib import Path
from typing import Any

import pytest

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.composition.templates import read_template
from mujina.ci.language.context import MERGE_REQUEST, PipelineContext
from mujina.ci.language.evaluation import evaluate
from mujina.ci.language.patterns.globs import PathMatcher

FILES = Path(__file__).parent / "real_files"
MAIN = {
    "CI_COMMIT_BRANCH": "main",
    "CI_DEFAULT_BRANCH": "main",
    "CI_COMMIT_REF_NAME": "main",
    "CI_COMMIT_REF_SLUG": "main",
}
TAG = {"CI_COMMIT_TAG": "v1.2.0", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_REF_NAME": "v1.2.0"}
REQUEST = {
    "CI_PIPELINE_SOURCE": MERGE_REQUEST, "CI_MERGE_REQUEST_IID": "7", "CI_DEFAULT_BRANCH": "main",
    "CI_COMMIT_REF_NAME": "topic", "CI_COMMIT_REF_SLUG": "topic",
}  # fmt: skip


def plan(name: str, variables: dict[str, str], **context):
    content = (FILES / f"{name}.yml").read_bytes()
    compiled = compile_config(
        parse_file(content), lambda file: parse_file(read_template(file.location) or b"", file.location)
    )
    assert (compiled.errors, compiled.warnings) == ([], [])
    assert compiled.config is not None
    source = variables.get("CI_PIPELINE_SOURCE", "push")
    ref = variables["CI_COMMIT_REF_NAME"]
    seen = PipelineContext(
        ref=ref,
        tag="CI_COMMIT_TAG" in variables,
        source=source,
        variables={"CI_PROJECT_NAME": "app", **variables},
        **context,
    )
    return evaluate(compiled.config, seen)


def names(found) -> list[str]:
    assert found.errors == []
    return [job.name for job in found.jobs]


def job_of(found, name: str) -> Any:
    return next(job for job in found.jobs if job.name == name)


@pytest.mark.parametrize("name", sorted(path.stem for path in FILES.iterdir()))
def test_the_file_makes_a_pipeline_of_the_default_branch(name):
    found = plan(name, MAIN, files=PathMatcher(["Dockerfile"]))
    assert names(found)
    assert found.stages


def test_a_python_package():
    tests = [f"pytest: [{version}]" for version in ("3.11", "3.12", "3.13")]
    assert names(plan("python_package", MAIN)) == ["ruff", "typecheck", *tests, "build"]
    assert plan("python_package", {"CI_COMMIT_REF_NAME": "x", "CI_COMMIT_BRANCH": "x"}).errors
    tagged = plan("python_package", TAG)
    assert names(tagged) == ["ruff", "typecheck", *tests, "build", "upload"]
    assert (tagged.name, tagged.auto_cancel.on_new_commit) == ("app on v1.2.0", "interruptible")
    upload, types = job_of(tagged, "upload"), job_of(tagged, "typecheck")
    assert (upload.timeout, upload.release["tag_name"]) == (600, "$CI_COMMIT_TAG")
    assert (upload.environment.deployment_tier, upload.interruptible) == ("production", True)
    assert (types.allow_failure_exit_codes, types.before_script[0]) == ([1], "python -m venv .venv")
    test = job_of(tagged, "pytest: [3.12]")
    assert test.artifacts.reports == {"junit": ["junit.xml"], "cobertura": ["coverage.xml"]}
    assert (test.image.name, test.variables["PYTHON"].value, test.retry.max) == ("python:${PYTHON}-slim", "3.12", 2)
    assert test.caches[0].key_files == ["pyproject.toml", "requirements.lock"]


def test_a_web_application():
    units = ["unit 1/3", "unit 2/3", "unit 3/3"]
    asked = plan("node_app", REQUEST)
    assert names(asked) == ["install", "lint", *units, "browser", "bundle", "review", "stop review"]
    review = job_of(asked, "review").environment
    assert (review.name, review.auto_stop_in, review.on_stop) == ("review/topic", 259_200, "stop review")
    stop = job_of(asked, "stop review")
    assert (stop.when, stop.allow_failure, stop.needs) == ("manual", True, [])
    assert [need.job for need in job_of(asked, "bundle").needs] == ["lint", *units]
    shipped = plan("node_app", MAIN)
    assert names(shipped) == ["install", "lint", *units, "browser", "bundle", "production"]
    production = job_of(shipped, "production")
    assert (production.resource_group, production.when, production.allow_failure) == ("production", "manual", False)
    assert [(need.job, need.artifacts) for need in production.needs] == [("bundle", True), ("browser", False)]
    browser = job_of(shipped, "browser")
    assert browser.services[0].variables == {"POSTGRES_PASSWORD": "secret"}
    assert (job_of(shipped, "lint").image.options, browser.caches[0].policy) == (
        {"pull_policy": ["if-not-present"]},
        "pull",
    )


def test_images_for_two_architectures():
    builds = ["build: [amd64, linux]", "build: [arm64, linux-arm]"]
    found = plan("docker_build", MAIN, files=PathMatcher(["Dockerfile"]))
    assert names(found) == [*builds, "smoke", "scan", "manifest"]
    smoke = job_of(found, "smoke")
    assert (list(smoke.variables), [need.job for need in smoke.needs]) == (["IMAGE"], builds[:1])
    assert job_of(found, builds[0]).hooks == {"pre_get_sources_script": ["git config --global http.version HTTP/1.1"]}
    assert "manifest" not in names(
        plan("docker_build", MAIN | {"CI_COMMIT_BRANCH": "x"}, files=PathMatcher(["Dockerfile"]))
    )
    assert plan("docker_build", REQUEST).errors == ["Pipeline filtered out by workflow rules."]
    assert plan("docker_build", MAIN, files=PathMatcher([])).errors[0] == (
        "'smoke' job needs 'build' job, but 'build' is not part of the pipeline"
    )


def test_a_repository_of_several_components():
    def changed(*paths, variables=MAIN):
        compared = {"refs/heads/main": PathMatcher(paths)}
        return names(plan("monorepo", variables, changes=PathMatcher(paths), compared=compared))

    everything = ["build api", "build worker", "build web", "test api", "test worker", "deploy"]
    assert changed("api/main.go") == ["build api", "test api", "deploy"]
    assert changed("shared/x/y.go") == everything
    assert changed("web/index.ts", "README.md") == ["build web", "docs", "deploy"]
    assert changed("LICENSE", variables=TAG) == everything[:-1]
    assert changed("LICENSE") == ["deploy"]
    scheduled = plan(
        "monorepo", MAIN | {"CI_PIPELINE_SOURCE": "schedule"}, compared={"refs/heads/main": PathMatcher(["x"])}
    )
    assert job_of(scheduled, "docs").variables["FULL"].value == "1"
    worker = job_of(plan("monorepo", MAIN), "test worker")
    assert [need.job for need in worker.needs] == ["build worker", "build api"]
    assert plan("monorepo", MAIN, unknown_refs=frozenset({"refs/heads/main"})).errors == [
        "rules:changes:compare_to 'refs/heads/main' is not a valid ref"
    ]


def test_infrastructure_with_environments():
    found = plan("infrastructure", MAIN)
    both = ["[staging]", "[production]"]
    assert names(found) == [
        "fmt", *(f"validate: {each}" for each in both), *(f"plan: {each}" for each in both), "apply staging",
        "apply production", "destroy staging",
    ]  # fmt: skip
    planned = job_of(found, "plan: [production]")
    assert (planned.environment.name, planned.environment.action) == ("production", "prepare")
    assert (planned.resource_group, planned.artifacts.access) == ("terraform-production", "developer")
    apply = job_of(found, "apply production")
    assert (apply.when, apply.allow_failure, apply.environment.deployment_tier) == ("manual", False, "production")
    assert [need.job for need in apply.needs] == ["plan: [production]", "apply staging"]
    assert job_of(found, "apply staging").environment.auto_stop_in == 604_800
    assert job_of(found, "destroy staging").caches[0].when == "always"
