import pytest

from mujina.accounts.emails import operations as emails
from mujina.accounts.emails.rules import find_email
from mujina.accounts.users.rules import find_user
from mujina.accounts.users.sign_in.confirmation import confirm
from mujina.kernel.errors import ApiError
from mujina.kernel.permissions.actor import SYSTEM


@pytest.fixture
def confirmed(cast):
    """`confirmed(person_id)`: whoever reads the mail at the address they asked for has followed the link in it."""

    async def follow(tx, user_id):
        await confirm(tx, SYSTEM, await find_user(tx, user_id))

    return lambda user_id: cast.transact(lambda tx: follow(tx, user_id))


def test_an_address_that_was_asked_for_is_theirs_once_it_is_confirmed(cast, confirmed):
    cast.root.put(f"/users/{cast.guest.id}", email="new@example.org")
    seen = len(cast.events())
    confirmed(cast.guest.id)
    assert cast.guest.get("/user").json["email"] == "new@example.org"
    assert [each["email"] for each in cast.guest.get("/user/emails").json] == ["guest@example.org"]
    assert cast.events()[seen:] == ["user.confirmed"]


def test_a_user_created_unconfirmed_is_confirmed(cast, confirmed):
    made = cast.root.post("/users", email="a@example.org", username="a", name="A", reset_password=True).json
    assert made["confirmed_at"] is None
    confirmed(made["id"])
    assert cast.root.get(f"/users/{made['id']}").json["confirmed_at"] is not None


def test_an_address_that_another_user_took_meanwhile_cannot_be_confirmed(cast, confirmed):
    cast.root.put(f"/users/{cast.guest.id}", email="new@example.org")
    assert cast.reporter.post("/user/emails", email="new@example.org").status == 201
    with pytest.raises(ApiError, match="has already been taken"):
        confirmed(cast.guest.id)
    assert cast.guest.get("/user").json["email"] == "guest@example.org"


def test_a_further_address_counts_once_it_is_confirmed(cast):
    email = cast.guest.post("/user/emails", email="guest@elsewhere.org").json

    async def follow(tx):
        await emails.confirm(tx, SYSTEM, await find_email(tx, cast.guest.id, email["id"]))

    assert cast.guest.put("/notification_settings", notification_email=email["email"]).status == 400
    cast.transact(follow)
    assert cast.guest.put("/notification_settings", notification_email=email["email"]).status == 200
