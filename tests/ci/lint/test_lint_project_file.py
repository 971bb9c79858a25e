"""GET /projects/:id/ci/lint."""

import pytest

from tests.harness.cases import Case, Has, cases


@cases([
    Case("anonymous", "GET /projects/{public.id}/ci/lint", 401),
    Case("stranger", "GET /projects/{private.id}/ci/lint", 404, {"message": "404 Project Not Found"}),
    Case("guest", "GET /projects/{private.id}/ci/lint", 403, {"message": "403 Forbidden"}),
    Case("reporter", "GET /projects/{private.id}/ci/lint", 200,
         Has(valid=False, errors=["Please provide content of .gitlab-ci.yml"]), statements=3),
    Case("external", "GET /projects/{public.id}/ci/lint", 200, Has(valid=False, merged_yaml=None)),
    Case("reporter", "GET /projects/{private.id}/ci/lint", 404, {"message": "404 Commit Not Found"}, {"content_ref": "none"}),
    Case("reporter", "GET /projects/999999/ci/lint", 404, {"message": "404 Project Not Found"}),
    Case("reporter", "GET /projects/{private.id}/ci/lint", 400, {"error": "dry_run is invalid"}, {"dry_run": "maybe"}),
])  # fmt: skip
def test_who_may_check_the_file_of_a_project(case, cast):
    case.holds(cast)


def test_the_file_is_checked_with_what_it_includes(code):
    answer = code.cast.reporter.get(code.lint, include_jobs=True).json
    assert (answer["valid"], answer["errors"], answer["warnings"]) == (True, [], [])
    assert [job["name"] for job in answer["jobs"]] == ["compile", "rspec", "release", "docker"]
    assert [(file["type"], file["location"]) for file in answer["includes"]] == [
        ("local", "/ci/shared.yml"), ("file", "jobs.yml"),
    ]  # fmt: skip
    assert "image: ruby" in answer["merged_yaml"]


def test_a_dry_run_shows_the_jobs_of_the_pipeline(code):
    def jobs(**params):
        answer = code.cast.reporter.get(code.lint, include_jobs=True, dry_run=True, **params).json
        return answer["errors"] or [job["name"] for job in answer["jobs"]]

    code.cast.owner.post(f"/projects/{code.id}/repository/tags", tag_name="v1", ref="master")
    assert jobs() == ["compile", "rspec", "docker"]
    assert jobs(dry_run_ref="v1") == ["compile", "release", "docker"]
    assert jobs(dry_run_ref="none") == ["Reference not found"]


def test_another_path_and_another_commit(code):
    cast = code.cast
    code.commit(code.id, branch="topic", **{"ci/main.yml": "a: {script: b}"})
    cast.owner.put(f"/projects/{code.id}", ci_config_path="ci/main.yml")
    assert not cast.reporter.get(code.lint).json["valid"]
    assert cast.reporter.get(code.lint, content_ref="topic").json["valid"]
    assert cast.reporter.get(code.lint, sha="topic").json["valid"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_file_that_is_not_text_or_too_large(code):
    cast = code.cast
    code.commit(code.id, **{"large.yml": "# " + "x" * 1_100_000})
    cast.owner.put(f"/projects/{code.id}", ci_config_path="large.yml")
    assert cast.reporter.get(code.lint).status == 413
    cast.owner.put(f"/projects/{code.id}", ci_config_path="ci")
    assert cast.reporter.get(code.lint).json["errors"] == ["Please provide content of .gitlab-ci.yml"]
