"""The settings of a project that its jobs follow: written by the API and the page, and acted upon."""

import pytest

from tests.ci.running_jobs import Runner, RunnerCi

SETTINGS = {
    "build_timeout": 7_200, "build_git_strategy": "clone", "ci_default_git_depth": 50, "keep_latest_artifact": True,
    "build_coverage_regex": r"\d+% of lines",
}  # fmt: skip
DEFAULTS = {
    "build_timeout": 3_600, "build_git_strategy": "fetch", "ci_default_git_depth": None, "keep_latest_artifact": False,
    "build_coverage_regex": None,
}  # fmt: skip


@pytest.fixture
def begins_with():
    return {"ci": RunnerCi}


def shown(project):
    return {name: project[name] for name in SETTINGS}


def test_the_settings_are_written_and_shown(cast):
    made = cast.master.post("/projects", name="x", build_timeout=600).json
    assert shown(made) == DEFAULTS | {"build_timeout": 600}
    path = f"/projects/{cast.private.id}"
    assert shown(cast.master.get(path).json) == DEFAULTS
    assert shown(cast.master.put(path, **SETTINGS).json) == SETTINGS
    cleared = cast.master.put(path, ci_default_git_depth="", build_coverage_regex="").json
    assert (cleared["ci_default_git_depth"], cleared["build_coverage_regex"]) == (None, None)
    assert cast.developer.put(path, build_timeout=600).status == 403


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"build_timeout": 599}, {"build_timeout": ["needs to be between 10 minutes and 1 month"]}),
        ({"build_timeout": 2_592_001}, {"build_timeout": ["needs to be between 10 minutes and 1 month"]}),
        ({"ci_default_git_depth": 1_001}, {"ci_default_git_depth": ["must be between 0 and 1000"]}),
        ({"ci_default_git_depth": -1}, {"ci_default_git_depth": ["must be between 0 and 1000"]}),
        (
            {"build_coverage_regex": "("},
            {"build_coverage_regex": ["is not a valid pattern: missing ): ("]},
        ),
    ],
)
def test_what_no_runner_could_follow_is_refused(cast, params, message):
    refused = cast.master.put(f"/projects/{cast.private.id}", **params)
    assert (refused.status, refused.json) == (400, {"message": message})


def test_other_strategies_are_refused(cast):
    refused = cast.master.put(f"/projects/{cast.private.id}", build_git_strategy="copy")
    assert (refused.status, refused.json) == (400, {"error": "build_git_strategy does not have a valid value"})


def test_the_page_saves_them(browse, cast):
    here, master = f"/{cast.private.path}/settings/ci_cd", browse("master")
    assert 'name="build_timeout" type="number" value="3600"' in master.open(here).text
    fields = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in SETTINGS.items()}
    assert master.send(here, **fields).status == 303
    assert shown(cast.master.get(f"/projects/{cast.private.id}").json) == SETTINGS
    assert master.send(here, ci_default_git_depth="", build_coverage_regex="").status == 303
    project = cast.master.get(f"/projects/{cast.private.id}").json
    assert (project["ci_default_git_depth"], project["build_coverage_regex"]) == (None, None)
    refused = master.send(here, build_timeout="5")
    assert (refused.status, 'id="build_timeout-problem"' in refused.text) == (422, True)


def test_a_job_without_a_pattern_has_the_coverage_that_the_pattern_of_the_project_finds(ci, cast, stage):
    assert cast.owner.put(ci.path, build_coverage_regex=r"[\d.]+% of all").status == 200
    compile_ = Runner(ci, cast, stage.folder)
    compile_.patch(0, b"lines 12.5%\n99.0% of all\n")
    compile_.finish()
    compile_.work()
    assert cast.owner.get(compile_.path).json["coverage"] == 12.5
    check = Runner(ci, cast, stage.folder, "check")
    check.patch(0, b"lines 12.5%\n98.5% of all\n")
    check.finish()
    check.work()
    assert cast.owner.get(check.path).json["coverage"] == 98.5
