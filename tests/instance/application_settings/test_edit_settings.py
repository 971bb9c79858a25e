import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_group, make_project

RESTRICTED = {"message": {"visibility_level": ["public has been restricted by your administrator"]}}
ANN = {"email": "ann@example.org", "username": "ann", "name": "Ann", "reset_password": True}


@pytest.fixture
def decide(cast):
    """`decide(signup_enabled=False)`: administrators decide so."""

    def put(**said):
        answer = cast.root.put("/application/settings", **said)
        assert answer.status == 200, answer
        return answer.json

    return put


def test_given_settings_apply_and_others_stay(cast, decide):
    before = cast.root.get("/application/settings").json
    after = decide(signup_enabled=True, default_projects_limit=7, default_branch_protection=1, sign_in_text="Welcome")
    changed = {"signup_enabled": True, "default_projects_limit": 7, "default_branch_protection": 1}
    assert after == before | changed | {"sign_in_text": "Welcome"}
    assert cast.root.get("/application/settings").json == after


def test_null_leaves_a_setting_as_it_is(decide):
    before = decide(default_projects_limit=7, sign_in_text="Welcome")
    assert decide(default_projects_limit=None, sign_in_text=None) == before
    assert not decide(sign_in_text="")["sign_in_text"]


def test_unknown_settings_are_ignored(cast, decide):
    before = cast.root.get("/application/settings").json
    assert decide(flying_cars=True, id=7) == before


def test_settings_answer_to_the_names_they_had_before_or_got_later(decide):
    for name in ("signin_enabled", "password_authentication_enabled"):
        after = decide(**{name: False})
        assert after["password_authentication_enabled_for_web"] is after[name] is False
        decide(password_authentication_enabled_for_web=True)
    after = decide(domain_allowlist=["a.test"], domain_denylist=["b.test"], domain_denylist_enabled=True)
    assert after["domain_whitelist"] == after["domain_allowlist"] == ["a.test"]
    assert after["domain_blacklist"] == after["domain_denylist"] == ["b.test"]
    assert after["domain_blacklist_enabled"] is after["domain_denylist_enabled"] is True


def test_a_change_is_recorded_and_no_change_is_not(cast, decide):
    seen = len(cast.events())
    decide(signup_enabled=True)
    decide(signup_enabled=True)
    assert cast.events()[seen:] == ["settings.updated"]


def test_new_users_get_the_default_projects_limit(cast, decide):
    decide(default_projects_limit=3)
    assert cast.root.post("/users", **ANN).json["projects_limit"] == 3


def test_new_people_may_be_external(cast, decide):
    decide(user_default_external=True)
    person = cast.root.post("/users", **ANN).json
    assert (person["external"], person["projects_limit"], person["can_create_group"]) == (True, 0, False)
    other = cast.root.post("/users", email="b@example.org", username="b", name="B", reset_password=True, external=False)
    assert (other.json["external"], other.json["can_create_group"]) == (False, True)


def test_new_projects_and_groups_are_as_visible_as_decided(cast, decide):
    decide(default_project_visibility="internal", default_group_visibility="public")
    assert make_project(cast.guest, "Den")["visibility"] == "internal"
    group = make_group(cast.guest, "den", name="Den")
    assert group["visibility"] == "public"


def test_no_default_goes_beyond_the_group_above(cast, decide):
    group = make_group(cast.guest, "den", name="Den", visibility="private")
    decide(default_project_visibility="public", default_group_visibility="public")
    assert make_project(cast.guest, "Straw", namespace_id=group["id"])["visibility"] == "private"
    nest = cast.guest.post("/groups", name="Nest", path="nest", parent_id=group["id"])
    assert nest.json["visibility"] == "private"


def test_some_visibilities_may_be_kept_for_administrators(cast, decide):
    project = make_project(cast.guest, "Straw")
    group = make_group(cast.guest, "den", name="Den", visibility="private")
    decide(restricted_visibility_levels=["public"])
    for answer in (
        cast.guest.post("/projects", name="Open", visibility="public"),
        cast.guest.post("/groups", name="Open", path="open", visibility="public"),
        cast.guest.put(f"/projects/{project['id']}", visibility="public"),
        cast.guest.put(f"/groups/{group['id']}", visibility="public"),
    ):
        assert (answer.status, answer.json) == (400, RESTRICTED)
    assert cast.root.post("/projects", name="Open", visibility="public").status == 201
    assert cast.guest.post("/projects", name="Half", visibility="internal").status == 201
    decide(default_project_visibility="public", default_group_visibility="public")
    for answer in (cast.guest.post("/projects", name="Ajar"), cast.guest.post("/groups", name="Ajar", path="ajar")):
        assert (answer.status, answer.json) == (400, RESTRICTED)
    assert cast.guest.post("/groups", name="Ajar", path="ajar", parent_id=group["id"]).json["visibility"] == "private"
    assert cast.root.post("/projects", name="Ajar").json["visibility"] == "public"


def test_strangers_see_no_users_where_public_is_restricted(cast, decide):
    decide(restricted_visibility_levels=["public"])
    assert cast.anonymous.get("/users", username="root").status == 403
    assert cast.anonymous.get(f"/users/{cast.guest.id}").json == {"message": "404 User Not Found"}
    assert cast.guest.get(f"/users/{cast.guest.id}").status == 200


@cases(
    [
        Case("guest", "PUT /application/settings", 403, {"message": "403 Forbidden"}, {"signup_enabled": False}),
        Case("anonymous", "PUT /application/settings", 401, {"message": "401 Unauthorized"}),
        Case(
            "root", "PUT /application/settings", 400, {"error": "signup_enabled is invalid"}, {"signup_enabled": "often"}
        ),
        Case(
            "root", "PUT /application/settings", 400,
            {"error": "default_project_visibility does not have a valid value"}, {"default_project_visibility": "dim"},
        ),
        Case(
            "root", "PUT /application/settings", 400,
            {"message": {"default_projects_limit": ["must be greater than or equal to 0"]}},
            {"default_projects_limit": -1},
        ),
        Case(
            "root", "PUT /application/settings", 400,
            {"message": {"restricted_visibility_levels": ["is not included in the list"]}},
            {"restricted_visibility_levels": ["dim"]},
        ),
    ]
)  # fmt: skip
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)


@cases(
    [
        Case("root", "GET /application/settings", 200, Has(id=1, signup_enabled=False, signin_enabled=True)),
        Case("guest", "GET /application/settings", 403, {"message": "403 Forbidden"}),
        Case("anonymous", "GET /application/settings", 401, {"message": "401 Unauthorized"}),
        Case("root", "GET /license", 200, Has(plan="ultimate", expires_at=None, user_limit=0, active_users=13)),
        Case("guest", "GET /license", 403, {"message": "403 Forbidden"}),
    ]
)
def test_only_administrators_read_settings(case, cast):
    case.holds(cast)
