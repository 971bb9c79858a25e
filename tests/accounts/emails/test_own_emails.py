import pytest

from tests.harness.cases import Case, Has, cases

MISSING = {"message": "404 Email Not Found"}
TAKEN = {"message": {"email": ["has already been taken"]}}


@pytest.fixture
def email(cast):
    answer = cast.guest.post("/user/emails", email=" Guest@Elsewhere.org ")
    assert answer.status == 201, answer
    return answer.json


def test_add_own_email(cast, email):
    assert email == {"id": email["id"], "email": "guest@elsewhere.org"}


def test_a_new_address_asks_to_be_confirmed(cast):
    seen = len(cast.events())
    cast.guest.post("/user/emails", email="guest@elsewhere.org")
    assert cast.events()[seen:] == ["email.added"]


@pytest.mark.parametrize("twin", ["guest@elsewhere.org", "GUEST@ELSEWHERE.ORG", "ｇuest@elsewhere.org"])
def test_an_address_is_one_persons(cast, email, twin):
    for person in (cast.guest, cast.reporter):
        answer = person.post("/user/emails", email=twin)
        assert (answer.status, answer.json) == (400, TAKEN)


def test_the_primary_email_of_another_user_is_taken(cast):
    for address in ("guest@example.org", "Reporter@example.org"):
        assert cast.guest.post("/user/emails", email=address).json == TAKEN


@cases(
    [
        Case("guest", "POST /user/emails", 400, Has(error="email is missing")),
        Case("guest", "POST /user/emails", 400, {"message": {"email": ["is invalid"]}}, {"email": "nowhere"}),
        Case("guest", "POST /user/emails", 400, {"message": {"email": ["is invalid"]}}, {"email": "a@b, c@d"}),
        Case("guest", "POST /user/emails", 400, {"message": {"email": ["can't be blank"]}}, {"email": ""}),
        Case("anonymous", "POST /user/emails", 401, {"message": "401 Unauthorized"}, {"email": "a@example.org"}),
        Case("read_user", "POST /user/emails", 403, Has(error="insufficient_scope"), {"email": "a@example.org"}),
    ]
)
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)


def test_list_own_emails(cast, email):
    answer = cast.guest.get("/user/emails")
    assert (answer.json, answer.headers["X-Total"]) == ([email], "1")
    assert cast.reporter.get("/user/emails").json == []
    assert cast.read_user.get("/user/emails").status == 200


def test_show_own_email(cast, email):
    assert cast.guest.get(f"/user/emails/{email['id']}").json == email
    answer = cast.root.get(f"/user/emails/{email['id']}")
    assert (answer.status, answer.json) == (404, MISSING)


def test_delete_own_email(cast, email):
    assert cast.reporter.delete(f"/user/emails/{email['id']}").json == MISSING
    assert cast.guest.delete(f"/user/emails/{email['id']}").status == 204
    assert cast.guest.delete(f"/user/emails/{email['id']}").json == MISSING
    assert cast.reporter.post("/user/emails", email=email["email"]).status == 201


def test_the_primary_address_is_no_email_of_its_own(cast):
    for id in range(1, 20):
        assert cast.guest.get(f"/user/emails/{id}").status == 404
        assert cast.guest.delete(f"/user/emails/{id}").status == 404
