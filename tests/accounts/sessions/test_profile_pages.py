import re
from io import BytesIO

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from PIL import Image

from mujina.kernel import clock
from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.client import Raw
from tests.harness.creation import make_group
from tests.harness.visitor import Visitor

NEW = "quite another horse"
PAGES = [
    "/profile", "/profile/emails", "/profile/keys", "/profile/applications", "/profile/two_factor_auth",
    "/profile/password/edit", "/profile/personal_access_tokens", "/profile/sessions", "/profile/account",
    "/profile/preferences", "/profile/notifications", "/profile/gpg_keys", "/profile/audit_log",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_ones_own_is_for_who_is_signed_in(visitor, page):
    assert visitor.open(page).headers["Location"] == f"/users/sign_in?target={page}"
    visitor.sign_in("reporter", PASSWORD)
    assert visitor.open(page).status == 200


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("/profile", "/profile"),
        ("/profile/keys/remove", "/profile/keys"),
        ("/profile/two_factor_auth/enable", "/profile/two_factor_auth"),
        ("/profile/applications/withdraw?id=1", "/profile/applications/withdraw%3Fid%3D1"),
        ("/oauth/authorize?client_id=1&state=a%26b", "/oauth/authorize%3Fclient_id%3D1%26state%3Da%2526b"),
        ("/oauth/authorize/deny", "/"),
    ],
)
def test_a_form_sent_after_the_session_ended_leads_back_to_its_page(visitor, form, page):
    visitor.open("/users/sign_in")
    assert visitor.send(form, id=1).headers["Location"] == f"/users/sign_in?target={page}"


def test_a_visitor_comes_back_to_the_address_they_opened_with_its_query(visitor):
    path = "/profile/personal_access_tokens?notice=saved&x=a%26b"
    visitor.open(visitor.open(path).headers["Location"])
    body = {"login": "reporter", "password": PASSWORD}
    assert visitor.send("/users/sign_in", user=body, target=visitor.field("target")).headers["Location"] == path


def test_a_user_edits_their_profile(signed_in, known):
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


def test_the_profile_page_shows_validation_errors(signed_in):
    signed_in.open("/profile")
    assert signed_in.send("/profile", user={"name": " "}).status == 422
    assert "Full name can&#39;t be blank" in signed_in.page.text


def change(visitor, current=PASSWORD, new=NEW, again=NEW, **fields):
    said = {"current_password": current, "password": new, "password_confirmation": again}
    return visitor.send("/profile/password/edit", user=said, **fields)


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


def test_a_password_that_another_user_chose_is_changed_first(known, client):
    known.root.put(f"/users/{known.reporter.id}", password="chosen by root")
    visitor = Visitor(client)
    assert visitor.sign_in("reporter", "chosen by root").status == 303
    first = "/profile/password/new?target=/profile/keys"
    assert visitor.open("/profile/keys").headers["Location"] == first
    visitor.open(first)
    assert "Someone else set your password" in visitor.page.text
    assert change(visitor, "wrong", target=visitor.field("target")).status == 422
    assert change(visitor, "chosen by root", target=visitor.field("target")).headers["Location"] == "/profile/keys"
    assert visitor.open("/profile/keys").status == 200


def public_key():
    made = Ed25519PrivateKey.generate().public_key()
    return made.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def test_keys_come_and_go(signed_in, known):
    signed_in.open("/profile/keys")
    laptop = {"title": "laptop", "key": public_key(), "expires_at": "2999-01-01"}
    assert signed_in.send("/profile/keys", key=laptop).status == 303
    assert signed_in.send("/profile/keys", key={"title": "desk", "key": public_key(), "expires_at": ""}).status == 303
    keys = known.reporter.get("/user/keys").json
    shown = [(key["title"], key.get("expires_at", "")[:10]) for key in keys]
    assert shown == [("laptop", "2999-01-01"), ("desk", "")]
    page = signed_in.open("/profile/keys").text
    assert re.findall('data-label="Expires">([^<]*)<', page) == ["Jan 1, 2999", "Never"]
    known.reporter.delete(f"/user/keys/{keys[1]['id']}")
    assert signed_in.send("/profile/keys", key={"title": "bad", "key": "ssh-foo AAAA"}).status == 422
    assert "key is invalid" in signed_in.page.text
    assert "Remove the SSH key “laptop”?" in signed_in.open(*signed_in.links("/profile/keys/remove?")).text
    assert signed_in.send("/profile/keys/remove", id=signed_in.field("id")).status == 303
    assert known.reporter.get("/user/keys").json == []


def test_addresses_come_and_go(signed_in, known):
    signed_in.open("/profile/emails")
    assert signed_in.send("/profile/emails", email={"email": "more@example.org"}).status == 303
    signed_in.open("/profile/emails")
    assert "Unconfirmed" in signed_in.page.text
    assert signed_in.send("/profile/emails", email={"email": "root@example.org"}).status == 422
    assert "Remove more@example.org?" in signed_in.open(*signed_in.links("/profile/emails/remove?")).text
    assert signed_in.send("/profile/emails/remove", id=signed_in.field("id")).status == 303
    assert known.reporter.get("/user/emails").json == []


def test_the_primary_address_is_changed_by_who_knows_the_password(signed_in, known):
    signed_in.open("/profile/emails")
    said = {"email": "other@example.org", "current_password": "wrong"}
    assert signed_in.send("/profile/email", user=said).status == 422
    assert signed_in.send("/profile/email", user=said | {"current_password": PASSWORD}).status == 303
    assert known.reporter.get("/user").json["email"] == "reporter@example.org"


@pytest.mark.parametrize(
    "page",
    [
        "/profile/keys/remove", "/profile/emails/remove", "/profile/applications/remove",
        "/profile/personal_access_tokens/revoke",
    ],
)  # fmt: skip
def test_objects_of_another_user_are_not_found(signed_in, page):
    signed_in.open("/profile")
    assert signed_in.send(page, id=1).status in (404, 422)
    assert signed_in.open(page, id=1).status == 404


def test_changing_the_username_moves_the_namespace(signed_in, known):
    signed_in.open("/profile")
    assert signed_in.send("/profile/username", user={"username": "rita"}).status == 303
    assert known.reporter.get("/user").json["username"] == "rita"
    assert "rita" in [each["path"] for each in known.reporter.get("/namespaces").json]
    assert 'value="rita"' in signed_in.open("/profile/account").text


@pytest.mark.parametrize(
    ("username", "problem"), [("root", "has already been taken"), ("", "can&#39;t be blank"), ("a b", "Username can")]
)
def test_a_username_that_cannot_be_used_is_refused_on_the_page(signed_in, known, username, problem):
    signed_in.open("/profile")
    assert signed_in.send("/profile/username", user={"username": username}).status == 422
    assert problem in signed_in.page.text
    assert known.reporter.get("/user").json["username"] == "reporter"


def test_an_account_is_deleted_by_its_user_with_their_password(signed_in, known):
    cast = known
    group = make_group(cast.reporter, "mine", name="Mine")
    signed_in.open("/profile/account")
    said = {"username": "reporter", "current_password": PASSWORD}
    for wrong in ({"username": "owner"}, {"current_password": "wrong"}):
        assert signed_in.send("/profile/account/delete", account=said | wrong).status == 422
    assert "sole-owner" in signed_in.send("/profile/account/delete", account=said).text
    assert cast.reporter.delete(f"/groups/{group['id']}").status in (202, 204)
    assert (
        signed_in.send("/profile/account/delete", account=said).headers["Location"] == "/users/sign_in?notice=deleted"
    )
    assert signed_in.open("/profile").status == 302
    assert cast.reporter.get("/user").status == 401
    assert cast.root.get(f"/users/{cast.reporter.id}").status == 404


def image(size=(8, 8)):
    data = BytesIO()
    Image.new("RGB", size, "green").save(data, "PNG")
    return data.getvalue()


def upload(visitor, data):
    body = (
        b'--x\r\nContent-Disposition: form-data; name="authenticity_token"\r\n\r\n' + visitor.token.encode()
        + b'\r\n--x\r\nContent-Disposition: form-data; name="user[avatar]"; filename="me.png"\r\n'
        + b"Content-Type: image/png\r\n\r\n" + data + b"\r\n--x--\r\n"
    )  # fmt: skip
    raw = Raw(body=body, type="multipart/form-data; boundary=x", headers=visitor._said())
    return visitor._keep(visitor.client.ask("POST", "//profile/avatar", raw))


def test_a_user_uploads_and_removes_an_avatar(signed_in, known):
    signed_in.open("/profile")
    assert upload(signed_in, image()).status == 303
    path = f"/uploads/-/system/user/avatar/{known.reporter.id}/me.png"
    assert known.reporter.get("/user").json["avatar_url"].endswith(path)
    assert f'src="{path}"' in signed_in.open("/profile").text
    assert signed_in.open(path).headers["Content-Type"] == "image/png"
    assert signed_in.send("/profile/avatar/remove").status == 303
    assert known.reporter.get("/user").json["avatar_url"] is None
    assert "<img" not in signed_in.open("/profile").text


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"", "can&#39;t be blank"), (b"no image", "is in no known format"), (b"x" * 300_000, "is too big")],
)
def test_a_file_that_is_no_avatar_is_refused_on_the_page(signed_in, known, data, problem):
    signed_in.open("/profile")
    assert upload(signed_in, data).status == 422
    assert f"Image {problem}" in signed_in.page.text
    assert known.reporter.get("/user").json["avatar_url"] is None


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 "
    "Edg/138.0.0.0"
)
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1"
)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (EDGE, "Edge on Windows"),
        (IPHONE, "Safari on iOS"),
        ("robot/1.0 <b>", "robot/1.0 &lt;b&gt;"),
        ("x" * 10_000, "x" * 40),
        ("", "Unknown browser"),
    ],
)
def test_sessions_show_the_browser_and_its_address(visitor, user_agent, name):
    visitor.headers = {"user-agent": user_agent}
    visitor.sign_in("reporter", PASSWORD)
    text = visitor.open("/profile/sessions").text
    assert f">{name}</td>" in text
    assert re.search(r'<td data-label="Address">[0-9a-f.:]+</td>', text)


def test_a_session_shows_the_browser_that_last_extended_it(visitor, cast):
    visitor.headers = {"user-agent": EDGE}
    visitor.sign_in("reporter", PASSWORD)
    cast.run("UPDATE sessions SET prolong_at = :now", now=clock.now())
    visitor.headers = {"user-agent": FIREFOX}
    visitor.open("/profile")
    assert "Firefox on Linux" in visitor.open("/profile/sessions").text


def test_a_user_signs_out_another_browser(signed_in, client):
    other = Visitor(client)
    other.sign_in("reporter", PASSWORD)
    signed_in.open("/profile/sessions")
    assert signed_in.page.text.count("Current session") == 1
    assert signed_in.send("/profile/sessions/end", id=signed_in.field("id")).status == 303
    assert other.call("GET", "/user").status == 401
    assert signed_in.call("GET", "/user").status == 200


def test_sessions_of_others_cannot_be_revoked(signed_in, client):
    root = Visitor(client)
    root.sign_in("root", PASSWORD)
    signed_in.open("/profile/sessions")
    for id in range(1, 5):
        if f'value="{id}"' not in signed_in.page.text:
            signed_in.send("/profile/sessions/end", id=id)
    assert root.call("GET", "/user").status == 200
