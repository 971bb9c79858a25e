"""Mails to those who sign up, and to those whose address somebody else tried to sign up with."""

import pytest

from tests.accounts.mails.conftest import PASSWORD
from tests.accounts.registration.test_sign_up import sign_up
from tests.harness.visitor import Visitor

ADDRESS = "newt@example.org"


@pytest.fixture
def stranger(client):
    return Visitor(client)


def test_an_account_waits_until_its_address_is_confirmed(known, box, stranger):
    known.root.put(
        "/application/settings", signup_enabled=True, require_admin_approval_after_user_signup=False,
        send_user_confirmation_email=True,
    )  # fmt: skip
    answer = sign_up(stranger, password=PASSWORD)
    assert answer.headers["Location"] == "/users/sign_in?notice=check_mail"
    assert "confirm your e-mail address" in stranger.sign_in("newt", PASSWORD).text
    confirm(stranger, box)
    assert stranger.sign_in("newt", PASSWORD).status == 303


def test_the_mail_that_confirms_an_address_is_sent_after_the_approval(known, box, stranger):
    known.root.put("/application/settings", signup_enabled=True, send_user_confirmation_email=True)
    assert sign_up(stranger, password=PASSWORD).headers["Location"] == "/users/sign_in?notice=pending"
    assert box.to(ADDRESS) == []
    [user] = known.root.get("/users", username="newt").json
    assert known.root.post(f"/users/{user['id']}/approve").status == 201
    confirm(stranger, box)
    assert stranger.sign_in("newt", PASSWORD).status == 303


def test_administrators_learn_of_an_account_that_waits_and_its_owner_of_the_approval(known, box, stranger):
    known.root.put("/application/settings", signup_enabled=True)
    sign_up(stranger, password=PASSWORD)
    [mail] = box.mails
    assert (mail["To"], mail["Subject"]) == ("root@example.org", "An account is waiting for approval")
    assert "http://mujina.test/admin/users?filter=pending" in mail.get_body(("plain",)).get_content()
    [user] = known.root.get("/users", username="newt").json
    assert known.root.post(f"/users/{user['id']}/approve").status == 201
    assert box.to(ADDRESS) == ["Your account was approved"]
    assert "http://mujina.test/users/sign_in" in box.mails[-1].get_body(("plain",)).get_content()
    sign_up(stranger, username="eft", email="eft@example.org")
    [user] = known.root.get("/users", username="eft").json
    assert known.root.post(f"/users/{user['id']}/reject").json == {"message": "Success"}
    assert box.to("eft@example.org") == []


def test_signing_up_with_the_address_of_an_account_mails_its_owner(known, box, stranger):
    known.root.put("/application/settings", signup_enabled=True)
    assert sign_up(stranger, email="reporter@example.org").headers["Location"] == "/users/sign_in?notice=pending"
    assert len(box.to("reporter@example.org")) == 1
    assert known.root.get("/users", username="newt").json == []


def confirm(visitor, box):
    assert len(box.to(ADDRESS)) == 1
    visitor.open(box.link())
    token = visitor.field("confirmation_token")
    assert visitor.send("/users/confirmation", confirmation_token=token).headers["Location"].endswith("confirmed")
