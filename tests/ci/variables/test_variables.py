"""Variables of projects, groups and the instance as resources; what a job gets of them is in `test_job_variables.py`."""

import pytest

from tests.harness.cases import ANYTHING, Case, Has, cases

HERE, THERE, EVERYWHERE = "/projects/{private.id}/variables", "/groups/{team.id}/variables", "/admin/ci/variables"
KEYED = {"key": "A_KEY", "value": "a-secret-value"}
DEFAULTS = {
    "key": "A_KEY", "value": "a-secret-value", "variable_type": "env_var", "protected": False, "masked": False, "raw": False,
    "description": None,
}  # fmt: skip
SCOPED = {**DEFAULTS, "environment_scope": "*"}
BAD_KEY = "can contain only letters, digits and '_'."
BAD_SCOPE = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*', and spaces"
VERBS = [("GET", ""), ("POST", ""), ("GET", "/A_KEY"), ("PUT", "/A_KEY"), ("DELETE", "/A_KEY")]

CASES = [
    *(Case(who, f"{verb} {HERE}{rest}", status, ANYTHING, KEYED, events=[])
      for who, status in (("anonymous", 401), ("stranger", 404), ("developer", 403)) for verb, rest in VERBS),
    *(Case(who, f"{verb} {THERE}{rest}", status, ANYTHING, KEYED, events=[])
      for who, status in (("anonymous", 401), ("stranger", 403), ("inherited", 403)) for verb, rest in VERBS),
    *(Case("owner", f"{verb} {EVERYWHERE}{rest}", 403, ANYTHING, KEYED, events=[]) for verb, rest in VERBS),
    Case("master", f"GET {HERE}", 200, [], statements=5),
    Case("master", f"POST {HERE}", 201, SCOPED, KEYED, events=["variable.created"], statements=8),
    Case("owner", f"POST {THERE}", 201, SCOPED, KEYED, events=["variable.created"]),
    Case("root", f"POST {EVERYWHERE}", 201, DEFAULTS, KEYED, events=["variable.created"]),
    Case("master", f"POST {HERE}", 201,
         Has(protected=True, masked=True, raw=True, variable_type="file", environment_scope="review/*", description="Why"),
         {**KEYED, "protected": "true", "masked": "1", "raw": True, "variable_type": "file",
          "environment_scope": "review/*", "description": "Why"}),
    Case("master", f"POST {HERE}", 201, Has(value=""), {"key": "A_KEY", "value": ""}),
    Case("master", f"POST {HERE}", 201, Has(value="two\nlines "), {"key": "A_KEY", "value": "two\nlines "}),
    Case("master", f"POST {HERE}", 400,
         {"message": '400 (Bad request) "key" not given', "error": "key is missing, value is missing"}),
    *(Case("master", f"POST {HERE}", 400, {"message": {"key": [BAD_KEY]}}, {**KEYED, "key": key}, events=[])
      for key in ("a-b", "ä", "a b", "A=1", "A\n")),
    Case("master", f"POST {HERE}", 400, {"message": {"key": ["can't be blank", BAD_KEY]}}, {**KEYED, "key": ""}),
    Case("master", f"POST {HERE}", 400, {"message": {"key": ["is too long (maximum is 255 characters)"]}},
         {**KEYED, "key": "x" * 256}),
    Case("master", f"POST {HERE}", 400, {"message": {"value": ["is too long (maximum is 10000 characters)"]}},
         {**KEYED, "value": "x" * 10_001}),
    *(Case("master", f"POST {HERE}", 400, {"message": {"value": ["is invalid"]}},
           {"key": "A_KEY", "value": value, "masked": True}) for value in ("", "seven77", "two words here", "two\nlines-here")),
    Case("master", f"POST {HERE}", 400, {"message": {"environment_scope": [BAD_SCOPE]}},
         {**KEYED, "environment_scope": "a:b"}),
    Case("master", f"POST {HERE}", 400, {"message": {"environment_scope": ["can't be blank", BAD_SCOPE]}},
         {**KEYED, "environment_scope": ""}),
    Case("master", f"POST {HERE}", 400, {"error": "variable_type does not have a valid value"},
         {**KEYED, "variable_type": "folder"}),
    Case("master", f"GET {HERE}/NONE", 404, {"message": "404 Variable Not Found"}),
    Case("owner", f"GET {THERE}/NONE", 404, {"message": "404 GroupVariable Not Found"}),
    Case("root", f"GET {EVERYWHERE}/NONE", 404, {"message": "404 Instance Variable Not Found"}),
    Case("master", f"PUT {HERE}/NONE", 404, {"message": "404 Variable Not Found"}, {"value": "x"}),
    Case("master", f"DELETE {HERE}/NONE", 404, {"message": "404 Variable Not Found"}),
]  # fmt: skip


@cases(CASES)
def test_managing_variables_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


@pytest.mark.parametrize(
    ("who", "place"), [("master", HERE), ("owner", THERE), ("root", EVERYWHERE)], ids=["project", "group", "instance"]
)
def test_a_variable_is_created_shown_edited_and_deleted(cast, who, place):
    person, here = getattr(cast, who), place.format_map(cast.names)
    made = person.post(here, **KEYED).json
    assert person.get(f"{here}/A_KEY").json == made
    assert person.get(here).json == [made]
    again = person.post(here, **KEYED)
    assert (again.status, again.json) == (400, {"message": {"key": ["has already been taken"]}})
    edited = person.put(f"{here}/A_KEY", value="another-value", protected="true", key="RENAMED")
    assert (edited.status, edited.json) == (200, {**made, "value": "another-value", "protected": True})
    assert person.delete(f"{here}/A_KEY").status == 204
    assert person.get(here).json == []
    assert cast.events()[-3:] == ["variable.created", "variable.updated", "variable.deleted"]


def test_a_key_may_exist_once_for_each_scope_and_the_filter_chooses(cast):
    here = f"/projects/{cast.private.id}/variables"
    for scope in ("*", "production", "review/*"):
        assert cast.master.post(here, key="URL", value=f"for {scope}", environment_scope=scope).status == 201
    assert cast.master.get(f"{here}/URL").json["environment_scope"] == "*"
    chosen = {"filter[environment_scope]": "production"}
    assert cast.master.get(f"{here}/URL", **chosen).json["value"] == "for production"
    edited = cast.master.put(f"{here}/URL", value="new", filter={"environment_scope": "review/*"})
    assert (edited.json["value"], edited.json["environment_scope"]) == ("new", "review/*")
    moved = cast.master.put(f"{here}/URL", environment_scope="staging", filter={"environment_scope": "production"})
    assert (moved.json["value"], moved.json["environment_scope"]) == ("for production", "staging")
    taken = cast.master.put(f"{here}/URL", environment_scope="staging", filter={"environment_scope": "*"})
    assert (taken.status, taken.json) == (400, {"message": {"key": ["has already been taken"]}})
    assert cast.master.get(f"{here}/URL", **chosen).status == 404
    assert cast.master.delete(f"{here}/URL?filter%5Benvironment_scope%5D=staging").status == 204
    assert [each["environment_scope"] for each in cast.master.get(here).json] == ["*", "review/*"]


def test_a_value_becomes_masked_only_if_it_can_be(cast):
    here = f"/projects/{cast.private.id}/variables"
    cast.master.post(here, key="SHORT", value="short")
    assert cast.master.put(f"{here}/SHORT", masked=True).json == {"message": {"value": ["is invalid"]}}
    assert cast.master.put(f"{here}/SHORT", masked=True, value="long-enough").json["masked"] is True
    assert cast.master.put(f"{here}/SHORT", value="short").json == {"message": {"value": ["is invalid"]}}


def test_values_are_encrypted_and_no_event_has_them(cast):
    here = f"/projects/{cast.private.id}/variables"
    cast.master.post(here, **KEYED)
    cast.master.put(f"{here}/A_KEY", value="another-secret-value", protected=True)
    assert cast.value("SELECT value FROM ci_variables").startswith("v1:")
    changes = cast.rows("SELECT changes FROM events WHERE kind LIKE 'variable.%' ORDER BY id")
    assert "secret" not in str(changes)
    audited = cast.owner.get(f"/projects/{cast.private.id}/audit_events").json
    details = [each["details"] for each in audited if each["details"]["target_type"] == "CiVariable"]
    assert {"add", "change"} <= {name for each in details for name in each}
    assert "secret" not in str(details)


def test_variables_need_the_jobs_of_their_project(cast):
    assert cast.owner.put(f"/projects/{cast.private.id}", jobs_enabled=False).status == 200
    assert cast.master.get(f"/projects/{cast.private.id}/variables").status == 403


def test_variables_stay_when_their_project_moves_and_go_with_it(cast):
    here = f"/projects/{cast.private.id}/variables"
    cast.master.post(here, **KEYED)
    assert cast.root.put(f"/projects/{cast.private.id}/transfer", namespace=cast.guild.id).status == 200
    assert cast.root.get(f"{here}/A_KEY").json["value"] == "a-secret-value"
    cast.run("DELETE FROM projects WHERE id = :id", id=cast.private.id)
    assert cast.value("SELECT count(*) FROM ci_variables") == 0
