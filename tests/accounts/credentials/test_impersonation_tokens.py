from datetime import UTC, datetime, timedelta

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw

MISSING = {"message": "404 Impersonation Token Not Found"}
WRONG = {"message": {"scopes": ["can only contain available scopes"]}}


@pytest.fixture
def place(cast):
    return f"/users/{cast.guest.id}/impersonation_tokens"


@pytest.fixture
def token(cast, place):
    answer = cast.root.post(place, name="Robot", scopes=["api"], expires_at="2999-12-31")
    assert answer.status == 201, answer
    return answer.json


def day(offset):
    return (datetime.now(UTC) + timedelta(days=offset)).date().isoformat()


def test_create_impersonation_token(token):
    assert set(token) == {
        "id", "name", "token", "scopes", "active", "revoked", "impersonation", "created_at", "expires_at",
    }  # fmt: skip
    assert (token["name"], token["scopes"], token["expires_at"]) == ("Robot", ["api"], "2999-12-31")
    assert (token["active"], token["revoked"], token["impersonation"]) == (True, False, True)
    assert len(token["token"]) == 20


def test_a_token_need_not_end(cast, place):
    assert cast.root.post(place, name="Robot", scopes=["api", "read_user", "sudo"]).json["expires_at"] is None


def test_a_token_authenticates_as_its_user_wherever_it_is_sent(cast, client, token):
    robot = client.with_token(token["token"])
    assert robot.get("/user").json["username"] == "guest"
    assert robot.post("/user/emails", email="guest@elsewhere.org").status == 201
    for raw in (
        Raw(query=f"private_token={token['token']}"), Raw(headers={"Authorization": f"Bearer {token['token']}"}),
        Raw(headers={"PRIVATE-TOKEN": token["token"]}),
    ):  # fmt: skip
        assert client.get("/user", raw=raw).json["username"] == "guest"


def test_a_token_that_may_read_people_may_do_nothing_else(cast, client, place):
    token = cast.root.post(place, name="Reader", scopes=["read_user"]).json["token"]
    robot = client.with_token(token)
    assert robot.get("/user").status == 200
    assert robot.get("/users").status == 200
    answer = robot.get("/projects")
    assert (answer.status, answer.json["error"], answer.json["scope"]) == (403, "insufficient_scope", "api")
    assert robot.post("/user/emails", email="guest@elsewhere.org").status == 403


def test_show_impersonation_token(cast, place, token):
    assert cast.root.get(f"{place}/{token['id']}").json == token
    assert cast.root.get(f"/users/{cast.reporter.id}/impersonation_tokens/{token['id']}").json == MISSING
    assert cast.root.get(f"/users/99999/impersonation_tokens/{token['id']}").json == {"message": "404 User Not Found"}


def test_the_stored_token_is_a_digest_and_encrypted(cast, token):
    [stored] = cast.rows("SELECT digest, sealed FROM access_tokens WHERE id = :id", id=token["id"])
    assert not [text for text in stored if token["token"] in text]


def test_list_impersonation_tokens(cast, place, token):
    revoked = cast.root.post(place, name="Revoked", scopes=["api"]).json
    cast.root.delete(f"{place}/{revoked['id']}")
    past, today, tomorrow = (
        cast.root.post(place, name="Dated", scopes=["api"], expires_at=day(offset)).json for offset in (-1, 0, 1)
    )
    ids = [revoked["id"], past["id"], today["id"]]
    answer = cast.root.get(place)
    assert ([each["id"] for each in answer.json], answer.headers["X-Total"]) == (
        [token["id"], *ids, tomorrow["id"]], "5",
    )  # fmt: skip
    assert cast.root.get(place, state="all").json == answer.json
    assert [each["id"] for each in cast.root.get(place, state="active").json] == [token["id"], tomorrow["id"]]
    assert [each["id"] for each in cast.root.get(place, state="inactive").json] == ids


def test_a_persons_own_tokens_are_none_of_it(cast, place):
    assert cast.root.get(place).json == []
    for id in range(1, 20):
        assert cast.root.get(f"{place}/{id}").status == 404


def test_a_token_that_has_expired_is_worth_nothing(cast, client, place):
    for offset in (-1, 0):
        token = cast.root.post(place, name="Old", scopes=["api"], expires_at=day(offset)).json
        assert token["active"] is False
        answer = client.with_token(token["token"]).get("/user")
        assert (answer.status, answer.json["error"]) == (401, "invalid_token")


def test_revoke_impersonation_token(cast, client, place, token):
    answer = cast.root.delete(f"{place}/{token['id']}")
    assert (answer.status, answer.text) == (204, "")
    assert client.with_token(token["token"]).get("/user").status == 401
    shown = cast.root.get(f"{place}/{token['id']}").json
    assert shown == token | {"active": False, "revoked": True}
    assert cast.root.delete(f"{place}/{token['id']}").status == 204
    assert cast.root.delete(f"{place}/99999").json == MISSING
    assert cast.root.delete(f"/users/{cast.reporter.id}/impersonation_tokens/{token['id']}").json == MISSING


def test_a_token_that_changed_meanwhile_is_not_revoked(cast, place, token):
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.root.delete(f"{place}/{token['id']}", raw=long_ago).status == 412


def test_a_token_ends_with_its_person(cast, client, token):
    robot = client.with_token(token["token"])
    cast.root.post(f"/users/{cast.guest.id}/block")
    assert robot.get("/user").json == {"message": "403 Forbidden - User is blocked"}
    cast.root.delete(f"/users/{cast.guest.id}")
    assert robot.get("/user").json == {"message": "401 Unauthorized"}


@cases(
    [
        Case(
            "root", "POST /users/{guest.id}/impersonation_tokens", 400, {"message": {"scopes": ["can't be blank"]}},
            {"name": "x", "scopes": []},
        ),
        Case("root", "POST /users/{guest.id}/impersonation_tokens", 400, WRONG, {"name": "x", "scopes": ["bogus"]}),
        Case(
            "root", "POST /users/{guest.id}/impersonation_tokens", 400, Has(error="name is missing"),
            {"scopes": ["api"]},
        ),
        Case("root", "POST /users/{guest.id}/impersonation_tokens", 400, Has(error="scopes is missing"), {"name": "x"}),
        Case(
            "root", "POST /users/{guest.id}/impersonation_tokens", 400, {"message": {"name": ["can't be blank"]}},
            {"name": "", "scopes": ["api"]},
        ),
        Case(
            "root", "POST /users/{guest.id}/impersonation_tokens", 400, {"error": "expires_at is invalid"},
            {"name": "x", "scopes": ["api"], "expires_at": "soon"},
        ),
        Case(
            "root", "GET /users/{guest.id}/impersonation_tokens", 400, {"error": "state does not have a valid value"},
            {"state": "sleeping"},
        ),
        Case("root", "GET /users/99999/impersonation_tokens", 404, {"message": "404 User Not Found"}),
        Case(
            "root", "POST /users/{guest.id}/impersonation_tokens", 201, params={"name": "x", "scopes": ["api"]},
            events=["impersonation_token.created"],
        ),
    ]
)  # fmt: skip
def test_invalid_requests_get_their_error_and_valid_ones_are_recorded(case, cast):
    case.holds(cast)


def test_only_administrators_touch_impersonation_tokens(cast, place, token):
    for person, status in ((cast.guest, 403), (cast.reporter, 403), (cast.anonymous, 401)):
        assert person.get(place).status == status
        assert person.get(f"{place}/{token['id']}").status == status
        assert person.post(place, name="x", scopes=["api"]).status == status
        assert person.delete(f"{place}/{token['id']}").status == status
