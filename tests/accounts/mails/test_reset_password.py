import pytest

from mujina.kernel import clock
from tests.accounts.mails.conftest import PASSWORD
from tests.harness.client import Raw
from tests.harness.visitor import Visitor

NEW = "quite another horse"


def ask(visitor, email):
    visitor.open("/users/password/new")
    return visitor.send("/users/password", user={"email": email})


def choose(visitor, path, password=NEW, again=NEW):
    visitor.open(path)
    return send(visitor, visitor.field("user[reset_password_token]"), password, again)


def send(visitor, token, password=NEW, again=NEW):
    said = {"reset_password_token": token, "password": password, "password_confirmation": again}
    return visitor.send("/users/password/edit", user=said)


def test_a_forgotten_password_is_replaced_by_a_mailed_link(visitor, signed_in, box, client):
    stranger = Visitor(client)
    assert ask(stranger, "Reporter@Example.org").headers["Location"] == "/users/sign_in?notice=reset"
    assert box.to("reporter@example.org") == ["Choose a new password"]
    assert choose(stranger, box.link()).status == 303
    assert box.to("reporter@example.org")[-1] == "Your password was changed"
    assert stranger.sign_in("reporter", PASSWORD).status == 422
    assert stranger.sign_in("reporter", NEW).status == 303
    assert signed_in.call("GET", "/user").status == 401


def test_the_link_is_good_once(visitor, box):
    ask(visitor, "reporter@example.org")
    path = box.link()
    token = path.partition("=")[2]
    choose(visitor, path)
    opened = visitor.open(path)
    assert (opened.status, "already been used" in opened.text) == (410, True)
    assert 'type="password"' not in opened.text
    assert visitor.links("/users/password/new") == ["/users/password/new"]
    visitor.open("/users/sign_in")
    assert send(visitor, token).status == 422
    assert "already been used" in visitor.page.text


def test_the_link_is_valid_for_six_hours(visitor, box, cast):
    ask(visitor, "reporter@example.org")
    cast.run("UPDATE mail_links SET expires_at = :now", now=clock.now())
    assert visitor.open(box.link()).status == 410
    visitor.open("/users/sign_in")
    assert send(visitor, box.link().partition("=")[2]).status == 422


def test_a_link_is_not_valid_for_another_purpose(visitor, box):
    ask(visitor, "reporter@example.org")
    token = box.link().partition("=")[2]
    assert visitor.open(f"/users/confirmation?confirmation_token={token}").status == 410
    visitor.open("/users/sign_in")
    assert visitor.send("/users/confirmation", confirmation_token=token).status == 422


@pytest.mark.parametrize("email", ["nobody@example.org", "blocked@example.org", "", "reporter", "x" * 400])
def test_the_answer_does_not_tell_whether_the_address_is_known(visitor, box, email):
    assert ask(visitor, email).headers["Location"] == "/users/sign_in?notice=reset"
    assert box.mails == []


@pytest.mark.parametrize("emails", [["reporter@example.org", "evil@example.org"], {"0": "reporter@example.org"}])
def test_a_list_of_addresses_is_refused(visitor, box, emails):
    assert ask(visitor, emails).status == 400
    assert box.mails == []


def test_a_twin_of_an_address_gets_nothing(visitor, box):
    """Folded, it is the same; the mail goes to the address that is stored, not to the one that was typed."""
    ask(visitor, "ｒeporter@example.org")
    assert [message["To"] for message in box.mails] == ["reporter@example.org"]


def test_the_link_leads_to_us_whatever_host_the_request_named(visitor, box):
    visitor.headers = {"host": "evil.example", "x-forwarded-host": "evil.example"}
    ask(visitor, "reporter@example.org")
    assert "evil.example" not in box.mails[-1].as_string()
    assert box.link().startswith("/users/password/edit?reset_password_token=")


def test_asking_again_at_once_sends_one_mail(visitor, box):
    ask(visitor, "reporter@example.org")
    ask(visitor, "reporter@example.org")
    assert len(box.mails) == 1


def test_a_bad_password_is_refused_and_the_link_stays_good(visitor, box):
    ask(visitor, "reporter@example.org")
    assert choose(visitor, box.link(), "short", "short").status == 422
    assert choose(visitor, box.link(), NEW, "another one").status == 422
    assert choose(visitor, box.link()).status == 303


def test_a_new_password_ends_the_rest_after_failures(visitor, box):
    for _ in range(10):
        visitor.sign_in("reporter", "wrong")
    ask(visitor, "reporter@example.org")
    choose(visitor, box.link())
    assert visitor.sign_in("reporter", NEW).status == 303


def test_the_page_takes_only_its_own_forms(client, box):
    body = b"user[email]=reporter@example.org"
    answer = client.post("//users/password", Raw(body=body, type="application/x-www-form-urlencoded"))
    assert answer.status == 422
    assert box.mails == []


def test_an_administrator_lets_a_person_choose(known, box, client):
    who = {
        "email": "new@example.org",
        "username": "new",
        "name": "New",
        "reset_password": True,
        "skip_confirmation": True,
    }
    known.root.post("/users", **who)
    assert box.to("new@example.org") == ["Choose a new password"]
    visitor = Visitor(client)
    choose(visitor, box.link())
    assert visitor.sign_in("new", NEW).status == 303
