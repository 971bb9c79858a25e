"""What programs with a client of Unleash read, and the page where people manage the flags."""

import re

import pytest

from tests.harness.client import Raw


@pytest.fixture
def page(cast):
    return f"/{cast.private.path}/-/feature_flags"


@pytest.fixture
def ask(cast, browse, page):
    """Read the flags as a program in this environment does, with the instance ID that the page shows."""
    developer = browse("developer")
    developer.open(page)
    developer.send(f"{page}/token")
    token = re.search(r"Instance ID</dt><dd><code>([^<]+)</code>", developer.open(page).text)[1]

    def ask(environment, token=token):
        said = Raw(headers={"UNLEASH-INSTANCEID": token, "UNLEASH-APPNAME": environment})
        return cast.anonymous.get(f"/feature_flags/unleash/{cast.private.id}/client/features", said)

    return ask


def test_a_program_gets_the_flags_of_its_environment(cast, flags, lists, ask):
    friends = cast.developer.post(lists, name="Friends", user_xids="a,b").json["id"]
    cast.developer.post(flags, name="all", strategies=[{"name": "default"}])
    cast.developer.post(flags, name="off", active=False, strategies=[{"name": "default"}])
    cast.developer.post(flags, name="review", strategies=[
        {"name": "gitlabUserList", "user_list_id": friends, "scopes": [{"environment_scope": "review/*"}]},
        {"name": "default", "scopes": [{"environment_scope": "staging"}]},
    ])  # fmt: skip
    everywhere = [{"name": "default", "parameters": {}}]
    assert ask("production").json == {"version": 1, "features": [
        {"name": "all", "description": None, "enabled": True, "strategies": everywhere},
        {"name": "off", "description": None, "enabled": False, "strategies": everywhere},
    ]}  # fmt: skip
    friendly = [{"name": "userWithId", "parameters": {"userIds": "a,b"}}]
    assert ask("review/x").json["features"][2]["strategies"] == friendly
    assert ask("staging").json["features"][2]["strategies"] == everywhere


def test_programs_need_the_instance_id(cast, ask, browse, page):
    here = f"/feature_flags/unleash/{cast.private.id}/client"
    assert [ask("x", token).status for token in ("wrong", "", cast.developer.token)] == [401, 401, 401]
    assert cast.anonymous.get(f"{here}/features").status == 401
    assert cast.anonymous.get(f"/feature_flags/unleash/{cast.public.id}/client/features").status == 401
    assert cast.anonymous.post(f"{here}/register", appName="x").status == 401
    assert ask("x").status == 200
    developer = browse("developer")
    developer.open(page)
    assert developer.send(f"{page}/token").status == 303
    assert ask("x").status == 401


def test_people_make_switch_and_delete_flags_on_the_page(cast, flags, browse, page):
    developer = browse("developer")
    assert "switches a part of your program" in developer.open(page).text
    developer.open(f"{page}/new")
    fields = {"name": "beta", "strategy": "flexibleRollout", "percentage": "25", "environments": "a, b"}
    assert developer.send(page, feature_flag=fields).status == 303
    shown = developer.open(page).text
    cast.developer.post(flags, name="plain", strategies=[{"name": "default"}])
    assert "All users" in developer.open(page).text
    cast.developer.delete(f"{flags}/plain")
    assert ("beta" in shown, "25 %" in shown, "Switch off" in shown) == (True, True, True)
    [strategy] = cast.developer.get(f"{flags}/beta").json["strategies"]
    assert [each["environment_scope"] for each in strategy["scopes"]] == ["a", "b"]
    refused = developer.send(page, feature_flag={**fields, "percentage": "much"})
    assert refused.status == 422
    developer.open(page)
    assert developer.send(f"{page}/beta", active="false").status == 303
    assert cast.developer.get(f"{flags}/beta").json["active"] is False
    assert "Switch on" in developer.open(page).text
    assert developer.send(f"{page}/beta/delete").status == 303
    assert cast.developer.get(flags).json == []


def test_those_who_may_not_manage_flags_see_no_page(browse, page):
    assert [browse(name).open(page).status for name in ("reporter", "stranger")] == [403, 404]
