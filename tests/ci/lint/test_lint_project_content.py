"""POST /projects/:id/ci/lint."""

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_project

VALID = {"content": "rspec: {script: make}"}


@cases([
    Case("anonymous", "POST /projects/{public.id}/ci/lint", 401, params=VALID),
    Case("stranger", "POST /projects/{private.id}/ci/lint", 404, {"message": "404 Project Not Found"}, VALID),
    Case("stranger", "POST /projects/{public.id}/ci/lint", 403, {"message": "403 Forbidden"}, VALID),
    Case("reporter", "POST /projects/{private.id}/ci/lint", 403, {"message": "403 Forbidden"}, VALID),
    Case("developer", "POST /projects/{private.id}/ci/lint", 400, Has(error="content is missing")),
    Case("developer", "POST /projects/{private.id}/ci/lint", 400, {"error": "content is invalid"}, {"content": [1]}),
    Case("developer", "POST /projects/{private.id}/ci/lint", 413, params={"content": "x" * 1_100_000}),
    Case("developer", "POST /projects/{private.id}/ci/lint", 404, {"message": "404 Commit Not Found"}, VALID | {"ref": "none"}),
    Case("developer", "POST /projects/{private.id}/ci/lint", 200,
         {"valid": True, "errors": [], "warnings": [], "merged_yaml": "---\nrspec:\n  script: make\n", "includes": []},
         VALID, events=[], statements=3),
    Case("developer", "POST /projects/{private.id}/ci/lint", 200,
         Has(valid=False, errors=["jobs:a script can't be blank"]), {"content": "a: {stage: test}"}),
])  # fmt: skip
def test_who_may_check_a_text_for_a_project(case, cast):
    case.holds(cast)


def test_a_text_includes_files_of_the_commit(code):
    cast = code.cast
    text = "include: ci/shared.yml\nrspec: {extends: .ruby}"
    assert cast.developer.post(code.lint, content=text).json["valid"]
    broken = cast.developer.post(code.lint, content=text.replace("shared", "none")).json
    assert (broken["valid"], broken["errors"]) == (False, ["Local file 'ci/none.yml' is not valid."])
    for path in ("../../etc/passwd.yml", "ci", "/", "ci/../x.yml"):
        assert not cast.developer.post(code.lint, content=f"include: {path}\na: {{script: a}}").json["valid"]


def test_a_file_of_a_project_that_the_caller_may_not_read_is_not_included(code):
    cast = code.cast
    hidden = make_project(cast.root, "hidden", visibility="private")
    assert cast.root.post(
        f"/projects/{hidden['id']}/repository/files/secret.yml", branch="master", content="a: {script: b}", commit_message="x"
    ).status == 201  # fmt: skip
    text = f"include: {{project: {hidden['path_with_namespace']}, file: secret.yml}}\nb: {{script: a}}"
    assert cast.developer.post(code.lint, content=text).json["errors"] == ["Project file 'secret.yml' is not valid."]
    nowhere = text.replace("hidden", "nowhere")
    assert cast.developer.post(code.lint, content=nowhere).json["errors"] == ["Project file 'secret.yml' is not valid."]
    assert cast.root.post(code.lint, content=text).json["valid"]


def test_a_dry_run_says_why_there_is_no_pipeline(code):
    def errors(text, **params):
        return code.cast.developer.post(code.lint, content=text, dry_run=True, **params).json["errors"]

    assert errors("a: {script: a, only: [tags]}") == ["No stages / jobs for this pipeline."]
    assert errors("a: {script: a, only: [master]}") == []
    assert errors("workflow: {rules: [{when: never}]}\na: {script: a}") == ["Pipeline filtered out by workflow rules."]
    assert errors("a: {script: a}", ref=code.cast.owner.get(
        f"/projects/{code.id}/repository/branches/master").json["commit"]["id"]) == ["Reference not found"]  # fmt: skip


def test_an_empty_repository_has_nothing_to_include(cast):
    project = make_project(cast.owner, "empty", namespace_id=cast.team.id)["id"]
    here = f"/projects/{project}/ci/lint"
    assert cast.owner.post(here, content="a: {script: b}").json["valid"]
    assert not cast.owner.post(here, content="include: a.yml\na: {script: b}").json["valid"]
    assert cast.owner.post(here, content="a: {script: b}", dry_run=True).json["errors"] == ["Reference not found"]
    assert cast.owner.get(here).json["errors"] == ["Please provide content of .gitlab-ci.yml"]
