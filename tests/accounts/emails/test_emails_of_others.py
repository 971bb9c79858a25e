import pytest

MISSING = {"message": "404 Email Not Found"}


@pytest.fixture
def place(cast):
    return f"/users/{cast.guest.id}/emails"


@pytest.fixture
def email(cast, place):
    answer = cast.root.post(place, email="guest@elsewhere.org")
    assert answer.status == 201, answer
    return answer.json


def test_add_email(cast, email):
    assert cast.guest.get("/user/emails").json == [email]
    assert cast.root.post("/users/99999/emails", email="a@example.org").json == {"message": "404 User Not Found"}


def test_list_emails(cast, place, email):
    assert cast.root.get(place).json == [email]


def test_delete_email(cast, place, email):
    assert cast.root.delete(f"/users/{cast.reporter.id}/emails/{email['id']}").json == MISSING
    assert cast.root.delete(f"{place}/{email['id']}").status == 204
    assert cast.root.delete(f"{place}/{email['id']}").json == MISSING


def test_only_administrators_touch_the_addresses_of_others(cast, place, email):
    for person, status in ((cast.guest, 403), (cast.anonymous, 401)):
        assert person.get(place).status == status
        assert person.post(place, email="b@example.org").status == status
        assert person.delete(f"{place}/{email['id']}").status == status


def test_the_primary_address_before_a_change_becomes_a_further_one(cast, place):
    cast.root.put(f"/users/{cast.guest.id}", email="new@example.org", skip_reconfirmation=True)
    assert [each["email"] for each in cast.guest.get("/user/emails").json] == ["guest@example.org"]


def test_a_further_address_may_become_the_primary_one(cast, place, email):
    person = cast.root.put(f"/users/{cast.guest.id}", email=email["email"], skip_reconfirmation=True).json
    assert person["email"] == "guest@elsewhere.org"
    assert [each["email"] for each in cast.guest.get("/user/emails").json] == ["guest@example.org"]


def test_a_further_address_of_another_user_cannot_become_a_primary_one(cast, email):
    answer = cast.root.put(f"/users/{cast.reporter.id}", email=email["email"], skip_reconfirmation=True)
    assert (answer.status, answer.json) == (400, {"message": {"email": ["has already been taken"]}})
