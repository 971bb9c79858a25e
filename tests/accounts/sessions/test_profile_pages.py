import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.visitor import Visitor

NEW = "quite another horse"
PAGES = [
    "/profile", "/profile/emails", "/profile/keys", "/profile/applications", "/profile/two_factor_auth",
    "/profile/password/edit", "/profile/personal_access_tokens", "/profile/sessions",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_ones_own_is_for_who_is_signed_in(visitor, page):
    assert visitor.open(page).headers["Location"] == f"/users/sign_in?target={page}"
    visitor.sign_in("reporter", PASSWORD)
    assert visitor.open(page).status == 200


def test_one_edits_ones_profile(signed_in, known):
    signed_in.open("/profile")
    said = {"name": "Rita", "bio": "writes", "location": "", "website_url": "https://r.example"}
    assert signed_in.send("/profile", user=said).status == 303
    shown = known.reporter.get("/user").json
    assert (shown["name"], shown["bio"], shown["website_url"]) == ("Rita", "writes", "https://r.example")


def test_a_form_sets_nothing_it_does_not_show(signed_in, known):
    signed_in.open("/profile")
    said = {"name": "Rita", "admin": "true", "username": "root2", "email": "x@example.org", "projects_limit": "5"}
    signed_in.send("/profile", user=said)
    shown = known.root.get(f"/users/{known.reporter.id}").json
    assert (shown["is_admin"], shown["username"], shown["email"]) == (False, "reporter", "reporter@example.org")


def test_what_is_wrong_is_shown_on_the_page(signed_in):
    signed_in.open("/profile")
    assert signed_in.send("/profile", user={"name": " "}).status == 422
    assert "Name can&#39;t be blank" in signed_in.page.text


def change(visitor, current=PASSWORD, new=NEW, again=NEW):
    said = {"current_password": current, "password": new, "password_confirmation": again}
    return visitor.send("/profile/password/edit", user=said)


def test_a_changed_password_ends_every_other_session(signed_in, client):
    other = Visitor(client)
    other.sign_in("reporter", PASSWORD)
    before = signed_in.cookie
    signed_in.open("/profile/password/edit")
    assert change(signed_in).status == 303
    assert signed_in.call("GET", "/user").status == 200
    assert other.call("GET", "/user").status == 401
    assert Visitor(client, cookie=before).call("GET", "/user").status == 401
    assert Visitor(client).sign_in("reporter", PASSWORD).status == 422
    assert Visitor(client).sign_in("reporter", NEW).status == 303


@pytest.mark.parametrize(
    "said",
    [
        {"current": "wrong"},
        {"again": "other"},
        {"new": "short", "again": "short"},
        {"new": PASSWORD, "again": PASSWORD},
    ],
)
def test_a_password_is_changed_by_who_knows_it_to_a_good_one(signed_in, said):
    signed_in.open("/profile/password/edit")
    assert change(signed_in, **said).status == 422
    assert signed_in.call("GET", "/user").status == 200


def test_a_password_somebody_else_chose_is_changed_first(known, client):
    known.root.put(f"/users/{known.reporter.id}", password="chosen by root")
    visitor = Visitor(client)
    assert visitor.sign_in("reporter", "chosen by root").status == 303
    assert visitor.open("/profile/keys").headers["Location"] == "/profile/password/new"
    visitor.open("/profile/password/new")
    assert "Someone else set your password" in visitor.page.text
    assert change(visitor, "chosen by root").status == 303
    assert visitor.open("/profile/keys").status == 200


def public_key():
    made = Ed25519PrivateKey.generate().public_key()
    return made.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def test_keys_come_and_go(signed_in, known):
    signed_in.open("/profile/keys")
    assert signed_in.send("/profile/keys", key={"title": "laptop", "key": public_key()}).status == 303
    assert [key["title"] for key in known.reporter.get("/user/keys").json] == ["laptop"]
    signed_in.open("/profile/keys")
    assert signed_in.send("/profile/keys", key={"title": "bad", "key": "ssh-foo AAAA"}).status == 422
    assert "Key is invalid" in signed_in.page.text
    assert signed_in.send("/profile/keys/remove", id=signed_in.field("id")).status == 303
    assert known.reporter.get("/user/keys").json == []


def test_addresses_come_and_go(signed_in, known):
    signed_in.open("/profile/emails")
    assert signed_in.send("/profile/emails", email={"email": "more@example.org"}).status == 303
    signed_in.open("/profile/emails")
    assert "Unconfirmed" in signed_in.page.text
    assert signed_in.send("/profile/emails", email={"email": "root@example.org"}).status == 422
    assert signed_in.send("/profile/emails/remove", id=signed_in.field("id")).status == 303
    assert known.reporter.get("/user/emails").json == []


def test_the_principal_address_is_changed_by_who_knows_the_password(signed_in, known):
    signed_in.open("/profile/emails")
    said = {"email": "other@example.org", "current_password": "wrong"}
    assert signed_in.send("/profile/email", user=said).status == 422
    assert signed_in.send("/profile/email", user=said | {"current_password": PASSWORD}).status == 303
    assert known.reporter.get("/user").json["email"] == "reporter@example.org"


@pytest.mark.parametrize("page", ["/profile/keys/remove", "/profile/emails/remove", "/profile/applications/remove"])
def test_what_is_anothers_is_not_found(signed_in, page):
    signed_in.open("/profile")
    assert signed_in.send(page, id=1).status in (404, 422)


def test_one_signs_out_another_browser(signed_in, client):
    other = Visitor(client)
    other.sign_in("reporter", PASSWORD)
    signed_in.open("/profile/sessions")
    assert signed_in.page.text.count("Current session") == 1
    assert signed_in.send("/profile/sessions/end", id=signed_in.field("id")).status == 303
    assert other.call("GET", "/user").status == 401
    assert signed_in.call("GET", "/user").status == 200


def test_nobody_signs_out_another_person(signed_in, client):
    root = Visitor(client)
    root.sign_in("root", PASSWORD)
    signed_in.open("/profile/sessions")
    for id in range(1, 5):
        if f'value="{id}"' not in signed_in.page.text:
            signed_in.send("/profile/sessions/end", id=id)
    assert root.call("GET", "/user").status == 200
