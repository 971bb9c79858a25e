"""/projects/:id/feature_flags."""

import pytest

from mujina.ci.feature_flags.operations import BAD_NAME
from tests.harness.cases import Case, Has, cases

FLAGS = "/projects/{private.id}/feature_flags"
ROLLOUT = {"groupId": "new", "rollout": "30", "stickiness": "userId"}


@cases([
    Case("anonymous", f"GET {FLAGS}", 401),
    Case("stranger", f"GET {FLAGS}", 404),
    Case("reporter", f"GET {FLAGS}", 403),
    Case("developer", f"GET {FLAGS}", 200, []),
    Case("developer", f"GET {FLAGS}/none", 404, {"message": "404 Feature Flag Not Found"}),
    Case("reporter", f"POST {FLAGS}", 403, params={"name": "new"}),
    Case("developer", f"POST {FLAGS}", 400, Has(error="name is missing")),
    Case("developer", f"POST {FLAGS}", 201, Has(name="new", active=True, strategies=[]), {"name": "new"},
         events=["feature_flag.created"]),
    Case("developer", f"POST {FLAGS}", 400, {"error": "version does not have a valid value"},
         {"name": "new", "version": "legacy_flag"}),
    Case("developer", f"POST {FLAGS}", 400, Has(message={"name": [BAD_NAME]}), {"name": "New flag"}),
    Case("developer", f"POST {FLAGS}", 400, Has(message={"name": [BAD_NAME]}), {"name": "new-"}),
    Case("developer", f"GET {FLAGS}?scope=some", 400, {"error": "scope does not have a valid value"}),
])  # fmt: skip
def test_developers_manage_flags(case, cast):
    case.holds(cast)


def test_a_flag_shows_its_strategies(cast, flags):
    sent = {"name": "flexibleRollout", "parameters": ROLLOUT, "scopes": [{"environment_scope": "review/*"}]}
    made = cast.developer.post(
        flags, name="new", description="For some", version="new_version_flag", active=False, strategies=[sent]
    )
    [strategy] = made.json["strategies"]
    [scope] = strategy["scopes"]
    assert list(made.json) == [
        "name", "description", "active", "version", "created_at", "updated_at", "scopes", "strategies",
    ]  # fmt: skip
    assert [made.json[name] for name in ("name", "description", "active", "version", "scopes")] == [
        "new", "For some", False, "new_version_flag", [],
    ]  # fmt: skip
    assert strategy == {
        "id": strategy["id"], "name": "flexibleRollout", "parameters": ROLLOUT, "user_list": None,
        "scopes": [{"id": scope["id"], "environment_scope": "review/*"}],
    }  # fmt: skip
    assert cast.developer.get(f"{flags}/new").json == made.json
    assert cast.developer.get(flags).json == [made.json]
    assert cast.developer.post(flags, name="new").json == {"message": {"name": ["has already been taken"]}}


def test_a_strategy_without_scopes_counts_everywhere(cast, flags):
    made = cast.developer.post(flags, name="new", strategies=[{"name": "default"}]).json
    assert [each["environment_scope"] for each in made["strategies"][0]["scopes"]] == ["*"]


@pytest.mark.parametrize(
    "strategy",
    [
        {"name": "default", "parameters": {"groupId": "x"}},
        {"name": "default", "parameters": "none"},
        {"name": "default", "parameters": ["a"]},
        {"name": "userWithId", "parameters": {}},
        {"name": "userWithId", "parameters": {"userIds": "a,,b"}},
        {"name": "userWithId", "parameters": {"userIds": "a" * 257}},
        {"name": "gradualRolloutUserId", "parameters": {"groupId": "x", "percentage": "101"}},
        {"name": "flexibleRollout", "parameters": {**ROLLOUT, "stickiness": "moon"}},
        {"name": "flexibleRollout", "parameters": {**ROLLOUT, "groupId": None}},
        {"name": "gitlabUserList"},
        {"name": "gitlabUserList", "user_list_id": 4711},
        {"name": "unheard"},
        {"parameters": {}},
        {"id": 4711, "name": "default"},
        {"name": "default", "scopes": [{"environment_scope": "a|b"}]},
        {"name": "default", "scopes": [{"id": 4711}]},
        {"name": "default", "scopes": [{"environment_scope": f"e{n}"} for n in range(101)]},
    ],
)
def test_a_strategy_that_makes_no_sense_is_refused_and_leaves_no_flag(cast, flags, strategy):
    assert cast.developer.post(flags, name="new", strategies=[strategy]).status == 400
    assert cast.developer.get(flags).json == []


def test_an_edit_adds_changes_and_removes_strategies_and_scopes(cast, flags):
    sent = [{"name": "default", "scopes": [{"environment_scope": each} for each in ("a", "b")]}, {"name": "default"}]
    first, second = cast.developer.post(flags, name="new", strategies=sent).json["strategies"]
    edited = cast.developer.put(f"{flags}/new", strategies=[
        {"id": first["id"], "name": "userWithId", "parameters": {"userIds": "7,8"}, "scopes": [
            {"id": first["scopes"][0]["id"], "_destroy": True}, {"id": first["scopes"][1]["id"], "environment_scope": "c"},
            {"environment_scope": "d"}, {"environment_scope": "d"},
        ]},
        {"id": second["id"], "_destroy": "true"},
        {"name": "default"},
    ])  # fmt: skip
    changed, added = edited.json["strategies"]
    assert (changed["id"], changed["name"], changed["parameters"]) == (first["id"], "userWithId", {"userIds": "7,8"})
    assert [each["environment_scope"] for each in changed["scopes"]] == ["c", "d"]
    assert added["name"] == "default"
    switched = cast.developer.put(f"{flags}/new", active=False).json
    assert (switched["active"], switched["strategies"]) == (False, [changed, added])


def test_a_flag_is_renamed_and_deleted(cast, flags):
    for name in ("first", "second"):
        cast.developer.post(flags, name=name)
    assert cast.developer.put(f"{flags}/second", name="first").status == 400
    assert cast.developer.put(f"{flags}/second", name="third", description="").json["name"] == "third"
    assert cast.developer.get(f"{flags}/second").status == 404
    assert cast.reporter.delete(f"{flags}/third").status == 403
    gone = cast.developer.delete(f"{flags}/third")
    assert (gone.status, gone.json["name"]) == (200, "third")
    assert [each["name"] for each in cast.developer.get(flags).json] == ["first"]


def test_flags_are_listed_by_name_page_by_page_and_by_state(cast, flags):
    for name, active in (("c", True), ("a", False), ("b", True)):
        cast.developer.post(flags, name=name, active=active)

    def listed(**query):
        return [each["name"] for each in cast.developer.get(flags, **query).json]

    assert (listed(), listed(scope="enabled"), listed(scope="disabled")) == (["a", "b", "c"], ["b", "c"], ["a"])
    assert (listed(per_page=2, page=2), cast.developer.get(flags).headers["X-Total"]) == (["c"], "3")


def test_lists_of_users_are_managed_by_their_numbers(cast, flags, lists):
    made = cast.developer.post(lists, name="Friends", user_xids="a, b,a,,c").json
    assert (made["iid"], made["project_id"], made["user_xids"]) == (1, cast.private.id, "a,b,c")
    assert cast.developer.post(lists, name="Friends", user_xids="d").status == 400
    assert cast.developer.post(lists, name="Nobody", user_xids=" , ").status == 400
    assert cast.developer.post(lists, name="Nobody").json["error"] == "user_xids is missing"
    assert cast.developer.get(lists, search="FRI").json == [made]
    assert cast.developer.get(lists, search="foe").json == []
    assert cast.developer.put(f"{lists}/1", user_xids="z").json["user_xids"] == "z"
    assert cast.developer.put(f"{lists}/1").status == 400
    assert (cast.reporter.get(f"{lists}/1").status, cast.developer.get(f"{lists}/2").status) == (403, 404)

    strategy = {"name": "gitlabUserList", "user_list_id": made["id"]}
    flag = cast.developer.post(flags, name="new", strategies=[strategy]).json
    assert flag["strategies"][0]["user_list"] == {
        "id": made["id"], "iid": 1, "name": "Friends", "user_xids": "z",
    }  # fmt: skip
    assert cast.developer.delete(f"{lists}/1").status == 409
    cast.developer.delete(f"{flags}/new")
    assert cast.developer.delete(f"{lists}/1").status == 204


def test_a_list_of_another_project_is_no_list(cast, flags):
    other = cast.owner.post(f"/projects/{cast.public.id}/feature_flags_user_lists", name="Others", user_xids="x").json
    strategy = {"name": "gitlabUserList", "user_list_id": other["id"]}
    assert cast.developer.post(flags, name="new", strategies=[strategy]).status == 400
