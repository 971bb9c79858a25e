import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_project


def test_given_attributes_change_and_others_stay(cast):
    said = {
        "name": "Badger", "skype": "b.s", "linkedin": "b-l", "twitter": "b_t", "website_url": "https://b.example.org",
        "organization": "Badgers", "projects_limit": 7, "bio": "Digs.", "location": "Sett", "admin": True,
        "can_create_group": False, "shared_runners_minutes_limit": 50,
    }  # fmt: skip
    place = f"/users/{cast.guest.id}"
    before = cast.root.get(place).json
    for name, value in said.items():
        shown = "is_admin" if name == "admin" else name
        answer = cast.root.put(place, **{name: value})
        assert (answer.status, answer.json[shown]) == (200, value)
    after = cast.root.get(place).json
    assert {n for n in after if after[n] != before[n]} == {"is_admin", *said} - {"admin"}


def test_text_can_be_taken_back(cast):
    place = f"/users/{cast.guest.id}"
    cast.root.put(place, bio="Digs.", skype="b.s")
    person = cast.root.put(place, bio="", skype="").json
    assert (person["bio"], person["skype"]) == ("", "")


def test_an_administrator_made_by_another_sees_that_they_are(cast):
    assert cast.root.put(f"/users/{cast.guest.id}", admin=True).status == 200
    assert cast.guest.get("/user").json["is_admin"] is True
    assert cast.guest.put(f"/users/{cast.reporter.id}", bio="Seen.").status == 200


def test_a_new_username_moves_everything_that_was_below_the_old_one(cast):
    project = make_project(cast.guest, "Den")
    answer = cast.root.put(f"/users/{cast.guest.id}", username="Badger")
    assert (answer.status, answer.json["username"]) == (200, "Badger")
    assert answer.json["web_url"] == "http://mujina.test/Badger"
    assert cast.guest.get(f"/projects/{project['id']}").json["path_with_namespace"] == "Badger/den"
    assert cast.guest.get("/projects/badger%2Fden").status == 200
    assert cast.guest.get("/projects/guest%2Fden").status == 404
    namespace = cast.root.get("/namespaces/badger").json
    assert (namespace["name"], namespace["path"]) == ("Badger", "Badger")
    assert cast.root.get("/namespaces/guest").status == 404


def test_a_username_may_change_its_case_alone(cast):
    assert cast.root.put(f"/users/{cast.guest.id}", username="GUEST").json["username"] == "GUEST"
    assert cast.root.get("/users", username="guest").json[0]["username"] == "GUEST"


def test_a_twin_of_ones_own_username_is_no_username(cast):
    answer = cast.root.put(f"/users/{cast.guest.id}", username="ｇuest")
    assert answer.status == 400
    assert "can contain only letters" in answer.json["message"]["username"][0]


def test_the_name_left_behind_is_free(cast):
    cast.root.put(f"/users/{cast.guest.id}", username="badger")
    assert cast.root.put(f"/users/{cast.reporter.id}", username="guest").status == 200


def test_a_new_address_waits_for_its_confirmation(cast):
    place = f"/users/{cast.guest.id}"
    seen = len(cast.events())
    assert cast.root.put(place, email="new@example.org").json["email"] == "guest@example.org"
    assert cast.events()[seen:] == ["user.confirmation_requested"]


def test_a_new_address_that_needs_no_confirmation_is_there_at_once(cast):
    place = f"/users/{cast.guest.id}"
    assert cast.root.put(place, email="New@example.org", skip_reconfirmation=True).json["email"] == "new@example.org"
    other = cast.root.post("/users", email="guest@example.org", username="o", name="O", reset_password=True)
    assert (other.status, other.json) == (400, {"message": {"email": ["has already been taken"]}})


def test_an_account_at_a_provider_is_replaced_and_others_are_added(cast):
    place = f"/users/{cast.guest.id}"
    cast.root.put(place, provider="github", extern_uid="1")
    cast.root.put(place, provider="google", extern_uid="2")
    person = cast.root.put(place, provider="github", extern_uid="3").json
    assert person["identities"] == [
        {"provider": "github", "extern_uid": "3"},
        {"provider": "google", "extern_uid": "2"},
    ]


def test_external_users_have_no_projects_limit_until_they_are_internal_again(cast):
    place = f"/users/{cast.guest.id}"
    person = cast.root.put(place, external=True, projects_limit=5).json
    assert (person["projects_limit"], person["can_create_group"]) == (0, False)
    assert cast.guest.get(f"/projects/{cast.internal.id}").status == 200  # a member
    person = cast.root.put(place, projects_limit=5, can_create_group=True).json
    assert (person["projects_limit"], person["can_create_group"], person["can_create_project"]) == (0, False, False)
    person = cast.root.put(place, external=False, projects_limit=5).json
    assert (person["projects_limit"], person["can_create_group"]) == (5, True)


def test_a_password_set_by_another_must_be_changed(cast):
    seen = len(cast.events())
    assert cast.root.put(f"/users/{cast.guest.id}", password="correct horse").status == 200
    assert cast.events()[seen:] == ["user.password_changed"]
    assert password_expires(cast, cast.guest.id) is not None


def test_an_empty_request_changes_nothing(cast):
    seen = len(cast.events())
    assert cast.root.put(f"/users/{cast.guest.id}").status == 200
    assert cast.events()[seen:] == []


@cases(
    [
        Case("root", "PUT /users/99999", 404, {"message": "404 User Not Found"}, {"name": "x"}),
        Case("root", "PUT /users/ASDF", 404, {"error": "404 Not Found"}, {"name": "x"}),
        Case("guest", "PUT /users/{guest.id}", 403, {"message": "403 Forbidden"}, {"admin": True}, events=[]),
        Case("anonymous", "PUT /users/{guest.id}", 401, {"message": "401 Unauthorized"}, {"name": "x"}),
        Case(
            "root", "PUT /users/{guest.id}", 404, {"message": "Email has already been taken"},
            {"email": "Reporter@example.org"}, events=[],
        ),
        Case(
            "root", "PUT /users/{guest.id}", 404, {"message": "Username has already been taken"},
            {"username": "REPORTER"}, events=[],
        ),
        Case(
            "root", "PUT /users/{guest.id}", 400, {"message": {"username": ["has already been taken"]}},
            {"username": "company"},
        ),
        Case(
            "root", "PUT /users/{guest.id}", 400, {"message": {"username": ["api is a reserved name"]}},
            {"username": "api"},
        ),
        Case("root", "PUT /users/{guest.id}", 400, {"message": {"email": ["is invalid"]}}, {"email": "nowhere"}),
        Case("root", "PUT /users/{guest.id}", 400, {"message": {"name": ["can't be blank"]}}, {"name": ""}),
        Case(
            "root", "PUT /users/{guest.id}", 400,
            {"message": {"password": ["is too short (minimum is 8 characters)"]}}, {"password": "short"}, events=[],
        ),
        Case(
            "root", "PUT /users/{guest.id}", 400, {"error": "extern_uid, provider provide all or none of parameters"},
            {"extern_uid": "x"},
        ),
        Case(
            "root", "PUT /users/{root.id}", 403,
            {"message":
             "403 Forbidden - The last administrator cannot be blocked, deleted or made an ordinary user"},
            {"admin": False}, events=[],
        ),
        Case("root", "PUT /users/{guest.id}", 200, Has(name="New"), {"name": "New"}, ["user.updated"], 15),
    ]
)  # fmt: skip
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("field", ["admin", "projects_limit", "external", "is_admin", "state", "confirmed_at"])
def test_users_cannot_raise_their_own_permissions(cast, field):
    before = cast.guest.get("/user").json
    for path in ("/user", f"/users/{cast.guest.id}"):
        assert cast.guest.put(path, **{field: 1}).status in (403, 404, 405)
    assert cast.guest.get("/user").json == before


def test_unknown_parameters_are_ignored(cast):
    place = f"/users/{cast.guest.id}"
    before = cast.root.get(place).json
    answer = cast.root.put(
        place, id=1, kind="ghost", deleted_at="2018-01-01", password_hash="x", two_factor_enabled=True
    )
    assert (answer.status, answer.json) == (200, before)


def password_expires(cast, id):
    return cast.value("SELECT u.password_expires_at FROM users u WHERE u.id = :id", id=id)
