from tests.accounts.mails.conftest import PASSWORD
from tests.harness.visitor import Visitor


def open_and_confirm(visitor, path):
    visitor.open(path)
    return visitor.send("/users/confirmation", confirmation_token=visitor.field("confirmation_token"))


def is_refused(visitor, path):
    """The page says at once that the link cannot be used, and so does the form."""
    opened = visitor.open(path)
    assert (opened.status, "already been used or has expired" in opened.text) == (410, True)
    assert visitor.links("/users/confirmation/new") == ["/users/confirmation/new"]
    visitor.open("/users/sign_in")
    return visitor.send("/users/confirmation", confirmation_token=path.partition("=")[2]).status == 422


def new_person(known):
    who = {"email": "new@example.org", "username": "new", "name": "New <b>", "password": PASSWORD}
    return known.root.post("/users", **who).json["id"]


def test_a_new_person_confirms_their_address_and_signs_in(known, box, client):
    new_person(known)
    assert box.to("new@example.org") == ["Confirm your email address"]
    visitor = Visitor(client)
    assert open_and_confirm(visitor, box.link()).headers["Location"] == "/users/sign_in?notice=confirmed"
    assert visitor.sign_in("new", PASSWORD).status == 303


def test_opening_the_link_alone_confirms_nothing(known, box, client):
    new_person(known)
    visitor = Visitor(client)
    visitor.open(box.link())
    assert visitor.sign_in("new", PASSWORD).status == 422


def test_the_mail_is_text_with_html_beside_it(known, box):
    new_person(known)
    message = box.mails[-1]
    assert message.get_content_type() == "multipart/alternative"
    assert "New <b>" in message.get_body(("plain",)).get_content()
    assert "New &lt;b&gt;" in message.get_body(("html",)).get_content()


def test_the_link_is_kept_as_a_digest_alone(known, box):
    new_person(known)
    token = box.link().partition("=")[2]
    assert token not in str(known.rows("SELECT digest, purpose, address FROM mail_links"))
    assert token not in str(known.rows("SELECT changes FROM events"))


def test_the_mail_can_be_asked_for_again(known, box, client):
    new_person(known)
    known.run("UPDATE mail_links SET created_at = '2020-01-01T00:00:00.000Z'")
    first = box.link()
    visitor = Visitor(client)
    visitor.open("/users/confirmation/new")
    visitor.send("/users/confirmation/new", user={"email": "new@example.org"})
    assert len(box.to("new@example.org")) == 2
    assert is_refused(visitor, first)
    assert open_and_confirm(visitor, box.link()).status == 303


def test_a_new_address_is_taken_once_it_is_confirmed_and_both_are_told(known, box, client):
    known.root.put(f"/users/{known.reporter.id}", email="other@example.org")
    assert box.to("other@example.org") == ["Confirm your email address"]
    assert known.reporter.get("/user").json["email"] == "reporter@example.org"
    open_and_confirm(Visitor(client), box.link())
    assert known.reporter.get("/user").json["email"] == "other@example.org"
    assert box.to("reporter@example.org") == ["Your email address was changed"]
    assert box.to("other@example.org")[-1] == "Your email address was changed"


def test_a_link_for_an_address_that_was_replaced_confirms_nothing(known, box, client):
    known.root.put(f"/users/{known.reporter.id}", email="other@example.org")
    stale = box.link()
    known.root.put(f"/users/{known.reporter.id}", email="third@example.org")
    assert open_and_confirm(Visitor(client), stale).status == 422
    assert known.reporter.get("/user").json["email"] == "reporter@example.org"


def test_a_change_at_once_is_told_to_the_old_address_too(known, box):
    known.root.put(f"/users/{known.reporter.id}", email="other@example.org", skip_reconfirmation=True)
    assert box.to("reporter@example.org") == box.to("other@example.org") == ["Your email address was changed"]


def test_a_further_address_is_confirmed_by_its_own_mail(known, box, client):
    known.reporter.post("/user/emails", email="more@example.org")
    assert open_and_confirm(Visitor(client), box.link()).status == 303


def test_blocked_users_are_not_mailed(known, box):
    known.root.post(f"/users/{known.reporter.id}/block")
    known.root.put(f"/users/{known.reporter.id}", password="another password")
    assert box.mails == []
