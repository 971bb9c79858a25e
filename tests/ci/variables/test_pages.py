"""The pages of variables of projects, groups and the instance."""

import pytest


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}"


@pytest.fixture
def api(cast):
    return f"/projects/{cast.private.id}/variables"


def test_a_variable_is_added_and_its_value_is_hidden_until_it_is_revealed(browse, cast, here, api):
    master = browse("master")
    assert master.open(f"{here}/variables/new").status == 200
    fields = {"key": " SECRET ", "value": "qxq-first\r\nline", "variable_type": "file", "environment_scope": "review/*"}
    added = master.send(f"{here}/variables", variable={**fields, "protected": "true"})
    assert (added.status, added.headers["Location"]) == (303, f"{here}/settings/ci_cd")
    page = master.open(f"{here}/settings/ci_cd").text
    assert ("SECRET" in page, "Protected" in page, "qxq-first" in page) == (True, True, False)
    assert "qxq-first" in master.open(f"{here}/settings/ci_cd?reveal=true").text
    [variable] = cast.master.get(api).json
    assert (variable["key"], variable["value"], variable["variable_type"]) == ("SECRET", "qxq-first\nline", "file")


def test_complaints_stand_beside_their_fields(browse, here):
    master = browse("master")
    master.open(f"{here}/variables/new")
    refused = master.send(f"{here}/variables", variable={"key": "NOT-A-KEY", "value": "kept words", "masked": "true"})
    assert refused.status == 422
    assert 'id="variable_key-problem"' in refused.text
    assert "Can contain only letters, digits and &#39;_&#39;." in refused.text
    assert 'id="variable_value-problem"' in refused.text
    assert "kept words</textarea>" in refused.text
    assert master.send(f"{here}/variables", variable={"key": "", "value": "x"}).status == 422


def test_a_change_reaches_only_the_variable_of_its_scope(browse, cast, here, api):
    for scope in ("*", "production"):
        cast.master.post(api, key="URL", value=f"of {scope}", environment_scope=scope)
    master, production = browse("master"), {"environment_scope": "production"}
    page = master.open(f"{here}/variables/URL/edit?filter[environment_scope]=production").text
    assert "of production</textarea>" in page
    long = master.send(f"{here}/variables/URL", filter=production, variable={"value": "of kept" * 2000})
    assert (long.status, 'id="variable_value-problem"' in long.text) == (422, True)
    change = {"value": "changed", "environment_scope": "live", "masked": "false", "description": "Where it runs"}
    assert master.send(f"{here}/variables/URL", filter=production, variable=change).status == 303
    stored = {each["environment_scope"]: each["value"] for each in cast.master.get(api).json}
    assert stored == {"*": "of *", "live": "changed"}
    assert master.send(f"{here}/variables/URL/delete", filter=production).status == 404
    assert master.send(f"{here}/variables/URL/delete", filter={"environment_scope": "*"}).status == 303
    assert [each["environment_scope"] for each in cast.master.get(api).json] == ["live"]


def test_developers_neither_see_nor_change_variables(browse, cast, here, api):
    cast.master.post(api, key="SECRET", value="qxq-value")
    developer = browse("developer")
    assert developer.open(f"{here}/variables/SECRET/edit").status == 403
    developer.open("/profile")
    assert developer.send(f"{here}/variables", variable={"key": "MINE", "value": "x"}).status == 403
    assert developer.send(f"{here}/variables/SECRET/delete").status == 403
    assert len(cast.master.get(api).json) == 1


def test_masters_of_a_group_change_its_variables(browse, cast):
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=40)
    here, master = f"/groups/{cast.team.path}/-", browse("stranger")
    assert master.open(f"{here}/variables/new").status == 200
    assert master.send(f"{here}/variables", variable={"key": "SHARED", "value": "x"}).status == 303
    assert "SHARED" in master.open(f"{here}/settings/ci_cd").text
    assert master.send(f"{here}/variables/SHARED", variable={"value": "y"}).status == 303
    assert cast.owner.get(f"/groups/{cast.team.id}/variables/SHARED").json["value"] == "y"


def test_administrators_change_the_variables_of_the_instance(browse, cast):
    root = browse("root")
    assert "The instance has no variables." in root.open("/admin/variables").text
    root.open("/admin/variables/new")
    assert root.send("/admin/variables", variable={"key": "PROXY", "value": "qxq-proxy"}).status == 303
    assert root.send("/admin/variables", variable={"key": "PROXY", "value": "again"}).status == 422
    assert ("PROXY" in root.open("/admin/variables").text, "qxq-proxy" in root.page.text) == (True, False)
    assert "qxq-proxy" in root.open("/admin/variables?reveal=true").text
    assert root.send("/admin/variables/PROXY", variable={"value": "other", "protected": "true"}).status == 303
    assert cast.root.get("/admin/ci/variables/PROXY").json["protected"] is True
    assert root.send("/admin/variables/PROXY/delete").status == 303
    assert browse("master").open("/admin/variables").status == 404
