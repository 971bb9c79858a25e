"""POST /ci/lint."""

import pytest

from mujina.ci.language.yaml.values import MAX_BYTES
from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw

VALID = {"content": "rspec: {script: make}"}
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))


@cases([
    Case("anonymous", "POST /ci/lint", 401, params=VALID),
    Case("read_user", "POST /ci/lint", 403, params=VALID),
    Case("stranger", "POST /ci/lint", 400, Has(error="content is missing")),
    Case("stranger", "POST /ci/lint", 400, {"error": "content is invalid"}, {"content": ["rspec"]}),
    Case("stranger", "POST /ci/lint", 400, {"error": "content is invalid"}, {"content": {"rspec": {"script": "x"}}}),
    Case("stranger", "POST /ci/lint", 400, {"error": "content is invalid"}, {"content": "a\0b"}),
    Case("stranger", "POST /ci/lint", 413, params={"content": "x" * (MAX_BYTES + 1)}),
    Case("stranger", "POST /ci/lint", 200, {"status": "valid", "errors": [], "warnings": []}, VALID, events=[], statements=2),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid", errors=["Please provide content of .gitlab-ci.yml"]),
         {"content": ""}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid", errors=["Please provide content of .gitlab-ci.yml"]),
         {"content": None}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid", errors=["jobs:a script can't be blank"]),
         {"content": "a: {stage: test}"}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid", errors=["Local file 'a.yml' is not valid."]),
         {"content": "include: a.yml\na: {script: b}"}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid"), {"content": BOMB}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid"), {"content": "[" * 5_000}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid"), {"content": "\ta: b"}),
    Case("stranger", "POST /ci/lint", 200, Has(status="invalid", errors=["Invalid configuration format"]), {"content": 5}),
    Case("stranger", "POST /ci/lint", 200, Has(status="valid", merged_yaml="---\nrspec:\n  script: make\n"),
         VALID | {"include_merged_yaml": True}),
])  # fmt: skip
def test_a_text_is_checked(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_jobs_are_shown_if_they_are_asked_for(cast):
    text = "deploy: {script: [a, b], stage: deploy, environment: prod, when: manual, tags: [x], only: [master]}"
    assert cast.stranger.post("/ci/lint", content=text, include_jobs=True).json["jobs"] == [
        {
            "name": "deploy", "stage": "deploy", "before_script": [], "script": ["a", "b"], "after_script": [],
            "tag_list": ["x"], "only": {"refs": ["master"]}, "except": None, "environment": "prod", "when": "manual",
            "allow_failure": True, "needs": None,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_form_is_read_as_well(cast):
    assert cast.stranger.post("/ci/lint", raw=Raw.form(content="rspec:\n  script: make")).json["status"] == "valid"
