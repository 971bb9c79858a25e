import pytest

from tests.harness.cases import Case, Has, cases

ANN = {"email": "ann@example.org", "username": "ann", "name": "Ann", "password": "correct horse"}
PATH_RULE = (
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
)


def test_a_new_user_has_the_given_attributes(cast):
    said = {
        "skype": "ann.s", "linkedin": "ann-l", "twitter": "ann_t", "website_url": "https://ann.example.org",
        "organization": "Badgers", "projects_limit": 7, "bio": "Digs.", "location": "Sett", "admin": True,
        "can_create_group": False, "shared_runners_minutes_limit": 50,
    }  # fmt: skip
    answer = cast.root.post("/users", **ANN, **said, provider="github", extern_uid="4711", skip_confirmation=True)
    assert answer.status == 201, answer
    person = answer.json
    assert {name: person["is_admin" if name == "admin" else name] for name in said} == said
    assert person["identities"] == [{"provider": "github", "extern_uid": "4711"}]
    assert person["confirmed_at"] is not None
    assert (person["username"], person["email"], person["name"]) == ("ann", "ann@example.org", "Ann")
    assert cast.root.get(f"/users/{person['id']}").json == person


def test_a_user_created_with_few_attributes_has_the_defaults(cast):
    person = cast.root.post("/users", **ANN).json
    assert person | {"id": 0, "created_at": ""} == {
        "id": 0, "username": "ann", "name": "Ann", "state": "active", "avatar_url": None,
        "web_url": "http://mujina.test/ann", "created_at": "", "bio": None, "location": None, "skype": "",
        "linkedin": "", "twitter": "", "website_url": "", "organization": None, "email": "ann@example.org",
        "last_sign_in_at": None, "confirmed_at": None, "theme_id": 1, "last_activity_on": None, "color_scheme_id": 1,
        "projects_limit": 100_000, "current_sign_in_at": None, "identities": [], "can_create_group": True,
        "can_create_project": True, "two_factor_enabled": False, "external": False,
        "shared_runners_minutes_limit": None, "is_admin": False,
    }  # fmt: skip


def test_a_person_has_a_namespace_of_their_name(cast):
    cast.root.post("/users", **ANN)
    found = cast.root.get("/namespaces/ann").json
    assert (found["kind"], found["name"], found["path"], found["full_path"]) == ("user", "ann", "ann", "ann")


def test_external_people_have_no_room_for_groups_and_projects(cast):
    person = cast.root.post("/users", **ANN, external=True, projects_limit=10, can_create_group=True).json
    assert (person["external"], person["projects_limit"], person["can_create_group"]) == (True, 0, False)
    assert person["can_create_project"] is False


@cases(
    [
        Case("root", "POST /users", 201, params=ANN, events=["user.created", "user.confirmation_requested"]),
        Case("root", "POST /users", 201, params={**ANN, "skip_confirmation": True}, events=["user.created"]),
        Case(
            "root", "POST /users", 201,
            params={"email": "b@example.org", "username": "b", "name": "B", "reset_password": True},
            events=["user.created", "user.confirmation_requested", "user.password_reset_requested"],
        ),
        Case(
            "root", "POST /users", 201, params={**ANN, "password": "short", "reset_password": True},
            events=["user.created", "user.confirmation_requested", "user.password_reset_requested"],
        ),
    ]
)  # fmt: skip
def test_mail_follows_from_what_is_recorded(case, cast):
    case.holds(cast)


def test_the_password_given_by_another_is_kept_as_a_hash_and_must_be_changed(cast):
    id = cast.root.post("/users", **ANN).json["id"]
    hash, expires = stored(cast, id)
    assert hash.startswith("$argon2id$")
    assert expires is not None


def test_a_user_who_is_to_set_a_password_starts_without_one(cast):
    id = cast.root.post("/users", **ANN | {"reset_password": True}).json["id"]
    assert stored(cast, id)[0] is None


@cases(
    [
        Case("guest", "POST /users", 403, {"message": "403 Forbidden"}, ANN, events=[]),
        Case("anonymous", "POST /users", 401, {"message": "401 Unauthorized"}, ANN, events=[]),
        Case("read_user", "POST /users", 403, Has(error="insufficient_scope", scope="api"), ANN),
        Case(
            "root", "POST /users", 400,
            {"message": '400 (Bad request) "email" not given',
             "error": "email is missing, username is missing, name is missing"},
        ),
        Case(
            "root", "POST /users", 400,
            {"error": "password, reset_password are missing, at least one parameter must be provided"},
            {"email": "ann@example.org", "username": "ann", "name": "Ann"},
        ),
        Case(
            "root", "POST /users", 400, {"message": {"password": ["can't be blank"]}},
            {"email": "ann@example.org", "username": "ann", "name": "Ann", "reset_password": False}, events=[],
        ),
        Case(
            "root", "POST /users", 400, {"error": "extern_uid, provider provide all or none of parameters"},
            {**ANN, "provider": "github"},
        ),
        Case(
            "root", "POST /users", 400,
            {"message": {
                "username": [PATH_RULE],
                "bio": ["is too long (maximum is 255 characters)"],
                "projects_limit": ["must be greater than or equal to 0"],
                "password": ["is too short (minimum is 8 characters)"],
            }},
            {**ANN, "username": "test!", "bio": "b" * 256, "projects_limit": -1, "password": "pass"},
        ),
        Case("root", "POST /users", 400, {"message": {"name": ["can't be blank"]}}, {**ANN, "name": " "}),
        Case("root", "POST /users", 400, {"message": {"email": ["is invalid"]}}, {**ANN, "email": "ann at home"}),
        Case("root", "POST /users", 400, {"message": {"email": ["can't be blank"]}}, {**ANN, "email": ""}),
        Case("root", "POST /users", 400, {"message": {"username": ["can't be blank"]}}, {**ANN, "username": ""}),
        Case(
            "root", "POST /users", 400, {"message": {"password": ["is too long (maximum is 128 characters)"]}},
            {**ANN, "password": "p" * 129},
        ),
        Case("root", "POST /users", 400, {"message": {"password": ["can't be blank"]}}, {**ANN, "password": ""}),
        Case(
            "root", "POST /users", 409, {"message": "Email has already been taken"},
            {**ANN, "email": "GUEST@Example.org"},
        ),
        Case(
            "root", "POST /users", 409, {"message": "Username has already been taken"}, {**ANN, "username": "Guest"},
        ),
        Case(
            "root", "POST /users", 409, {"message": "Email has already been taken"},
            {**ANN, "username": "guest", "email": "guest@example.org"},
        ),
        Case(
            "root", "POST /users", 400, {"message": {"username": ["has already been taken"]}},
            {**ANN, "username": "COMPANY"},
        ),
    ]
)  # fmt: skip
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("username", ["admin", "api", "Users", "-", ".well-known"])
def test_some_names_are_taken_by_the_instance_itself(cast, username):
    answer = cast.root.post("/users", **ANN | {"username": username})
    assert answer.status == 400
    text = PATH_RULE if username == "-" else f"{username} is a reserved name"
    assert answer.json == {"message": {"username": [text]}}


@pytest.mark.parametrize("username", ["-ann", "ann.", "ann.git", "ann.atom", "ann smith", "änn", "a/b", "ann\u017f"])
def test_a_username_can_stand_in_a_path(cast, username):
    assert cast.root.post("/users", **ANN | {"username": username}).json == {"message": {"username": [PATH_RULE]}}


@pytest.mark.parametrize("email", ["ａnn@example.org", "ANN@EXAMPLE.ORG", " ann@example.org ", "ann@ex\u2090mple.org"])
def test_twins_of_an_address_are_one_address(cast, email):
    assert cast.root.post("/users", **ANN).status == 201
    answer = cast.root.post("/users", **ANN | {"username": "other", "email": email})
    assert (answer.status, answer.json) == (409, {"message": "Email has already been taken"})


def test_an_account_at_a_provider_is_one_persons(cast):
    assert cast.root.post("/users", **ANN, provider="ldapmain", extern_uid="cn=ann").status == 201
    twin = {"email": "b@example.org", "username": "b", "name": "B", "reset_password": True}
    answer = cast.root.post("/users", **twin, provider="ldapmain", extern_uid="CN=Ann")
    assert answer.status == 400
    assert answer.json == {"message": {"identities": {"extern_uid": ["has already been taken"]}}}
    assert cast.root.post("/users", **twin, provider="github", extern_uid="cn=ann").status == 201


def test_an_address_is_stored_without_capitals_and_spaces(cast):
    assert cast.root.post("/users", **ANN | {"email": " Ann@Example.ORG "}).json["email"] == "ann@example.org"


def stored(cast, id):
    [row] = cast.rows("SELECT u.password_hash, u.password_expires_at FROM users u WHERE u.id = :id", id=id)
    return row
