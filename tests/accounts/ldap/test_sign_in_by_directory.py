"""Signing in by a real directory: who gets in, whose account is made, and what a directory in trouble changes."""

import asyncio
import base64

import pytest

from tests.harness.client import Raw
from tests.harness.directory_world import PASSWORD
from tests.harness.encoding import form_text
from tests.harness.visitor import TOKEN, Visitor

FAILED = "Invalid login or password."


def git(world, login, password=PASSWORD, *, to=None):
    """The status of git's first request with this password."""
    secret = base64.b64encode(f"{login}:{password}".encode()).decode()
    raw = Raw(query="service=git-upload-pack", headers={"authorization": f"Basic {secret}"})
    return (to or world.default.anonymous).get("//company/department/team/private.git/info/refs", raw).status


def test_the_first_sign_in_makes_the_account(world):
    dn = world.tree.person("jo", PASSWORD, mail="Jo@Corp.example", cn="Jo Doe")
    world.tree.flush()
    world.sign_in("jo")
    assert (world.answer.status, world.answer.headers["Location"]) == (303, "/")
    jo = world.user("jo")
    assert (jo["name"], jo["email"], jo["state"], jo["is_admin"]) == ("Jo Doe", "jo@corp.example", "active", False)
    assert jo["identities"] == [{"provider": "ldapmain", "extern_uid": dn.lower()}]
    assert jo["confirmed_at"] is not None
    assert world.default.events()[-3:] != []
    assert "user.created" in world.default.events()
    world.sign_in("JO")  # a login has no case in this directory
    assert world.answer.status == 303
    assert len(world.default.root.get("/users", search="Jo Doe").json) == 1
    assert len(world.default.root.get("/users", provider="ldapmain", extern_uid=dn.replace(",", " , ")).json) == 1


def test_a_username_is_made_of_what_the_directory_says(world):
    for uid in ("admin", "reporter", "a.git", "-x.", "jo@corp", "Ünï"):
        world.tree.person(uid, PASSWORD, mail=f"n{len(uid)}{uid[-1:].encode().hex()}@corp.example")
    world.tree.person("silent", PASSWORD, mail=None)
    world.tree.flush()
    made = {}
    for uid in ("admin", "a.git", "-x.", "jo@corp", "Ünï", "silent"):
        world.sign_in(uid)
        assert world.answer.status == 303, uid
    for name in ("admin1", "a", "x", "jo", "Uni", "silent"):
        made[name] = world.user(name)
    assert all(made.values()), made
    assert made["silent"]["email"] == "silent@no-mail.invalid"
    world.sign_in("reporter", provider="ldapmain")  # the cast has a reporter: the ordinary form means that one
    assert world.user("reporter1")["identities"][0]["extern_uid"].startswith("uid=reporter,")


def test_wrong_passwords_and_unknown_logins_look_the_same(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    logins = ["nobody", "*", "jo)(uid=*", "j*", "\\2a", "jo\\", "(", "\N{PILE OF POO}", "x" * 5000, ""]
    seen = {world.sign_in("jo", "wrong-password").page.text}
    texts = {login: world.sign_in(login).page.text for login in logins}
    assert FAILED in seen.pop()
    for login, text in texts.items():
        assert world.answer.status == 422
        assert FAILED in text, login
    for empty in ("", " ", "   "):
        world.sign_in("jo", empty)
        assert world.answer.status == 422
    assert world.user("jo") is None
    log = (world.tree.slapd.folder / "log").read_text()
    assert f'BIND dn="uid=jo,{world.tree.people}" method=128' in log
    assert log.count(f'BIND dn="uid=jo,{world.tree.people}" method=128') == 1  # the one with a wrong password
    # A user who is known here costs the directory the same requests as an unknown login.
    world.sign_in("jo")
    assert requests_of(world, lambda: world.sign_in("jo", "wrong-password")) == requests_of(
        world, lambda: world.sign_in("nobody", "wrong-password")
    )


def requests_of(world, attempt):
    """How many binds and searches the directory sees during an attempt."""
    log = world.tree.slapd.folder / "log"
    before = log.read_text()
    attempt()
    seen = log.read_text()[len(before) :]
    return seen.count(" BIND dn="), seen.count(" SRCH base=")


def test_a_user_filter_and_ambiguous_logins_keep_people_out(world):
    world.tree.person("jo", PASSWORD, title="staff")
    world.tree.person("ann", PASSWORD, title="guest")
    world.tree.flush()
    client = world.client(world.directory(user_filter="(&(title=staff)(!(description=*)))"))
    world.sign_in("ann", to=client)
    assert world.answer.status == 422
    world.sign_in("jo", to=client)
    assert world.answer.status == 303
    by_mail = world.client(world.directory(uid="title"))
    world.tree.person("zoe", PASSWORD, title="guest")
    world.tree.flush()
    world.sign_in("guest", to=by_mail)
    assert world.answer.status == 422


def test_git_recognizes_users_of_the_directory_and_creates_none(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    assert git(world, "jo") == 401
    assert world.user("jo") is None
    world.sign_in("jo")
    jo = world.user("jo")
    world.default.root.post(f"/groups/{world.default.team.id}/members", user_id=jo["id"], access_level=30)
    assert git(world, "jo") == 200
    assert git(world, "jo@corp.example") == 200
    assert git(world, "jo", "wrong-password") == 401
    # A password stored here never counts for a user of the directory.
    world.default.root.put(f"/users/{jo['id']}", password="local-password-1")
    assert git(world, "jo", "local-password-1") == 401
    world.sign_in("jo", "local-password-1")
    assert world.answer.status == 422
    token = world.default.anonymous.post("//oauth/token", grant_type="password", username="jo", password=PASSWORD)
    assert token.status == 200
    refused = world.default.anonymous.post("//oauth/token", grant_type="password", username="zz", password=PASSWORD)
    assert refused.status == 401


def test_an_address_of_another_account_is_taken_over_only_where_the_directory_is_trusted(world):
    world.tree.person("dev", PASSWORD, mail="developer@example.org")
    world.tree.person("boss", PASSWORD, mail="root@example.org")
    world.tree.flush()
    root_email = world.default.root.get("/user").json["email"]
    world.tree.change(f"uid=boss,{world.tree.people}", mail=root_email)
    world.tree.flush()
    page = world.sign_in("dev").page.text
    assert world.answer.status == 422
    assert "email address of another account" in page
    assert world.user("dev") is None
    trusting = world.client(world.directory(link_by_email=True))
    world.sign_in("boss", to=trusting)
    assert world.answer.status == 422
    world.sign_in("dev", to=trusting)
    assert world.answer.status == 303
    assert [each["provider"] for each in world.user("developer")["identities"]] == ["ldapmain"]


@pytest.mark.parametrize("waits_for", ["send_user_confirmation_email", "require_admin_approval_after_user_signup"])
def test_a_visitor_who_signed_up_with_an_address_does_not_get_its_owner(world, waits_for):
    decided = {"send_user_confirmation_email": False, "require_admin_approval_after_user_signup": False}
    world.default.root.put("/application/settings", signup_enabled=True, **decided | {waits_for: True})
    visitor = Visitor(world.default.anonymous)
    visitor.open("/users/sign_up")
    form = {"name": "Thief", "username": "thief", "email": "jo@corp.example", "password": PASSWORD}
    assert visitor.send("/users/sign_up", user=form).status == 303
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    page = world.sign_in("jo", to=world.client(world.directory(link_by_email=True))).page.text
    assert "email address of another account" in page
    assert world.user("thief")["identities"] == []


def test_new_users_may_be_blocked_and_an_administrators_block_stays(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    strict = world.client(world.directory(block_new_users=True))
    assert "blocked" in world.sign_in("jo", to=strict).page.text
    jo = world.user("jo")
    assert jo["state"] == "blocked"
    world.check_users()
    assert world.user("jo")["state"] == "blocked"
    assert world.default.root.post(f"/users/{jo['id']}/unblock").json is True
    world.sign_in("jo", to=strict)
    assert world.answer.status == 303


def test_failures_at_the_form_of_a_directory_lock_the_account(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    world.sign_in("jo")
    for provider in ("", "ldapmain") * 5:
        world.sign_in("jo", "wrong-password", provider=provider)
    for provider in ("", "ldapmain"):
        world.sign_in("jo", provider=provider)
        assert world.answer.status == 422
    assert world.default.root.post(f"/users/{world.user('jo')['id']}/unblock").json is True
    world.sign_in("jo", provider="ldapmain")
    assert world.answer.status == 303


def test_two_directories_are_asked_in_turn(world, set_edition):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    other = world.tree.slapd.tree()
    other.person("ann", PASSWORD)
    other.flush()
    second = world.directory("second", base=other.people, group_base=other.groups, label="Plant")
    client = world.client(world.directory(), second)
    world.sign_in("ann", to=client)
    assert world.answer.status == 303
    assert world.user("ann")["identities"][0]["provider"] == "ldapsecond"
    page = world.sign_in("ann", to=client, provider="ldapmain").page.text
    assert world.answer.status == 422
    assert 'action="/users/auth/ldapsecond/callback"' in page
    assert "Sign in with Plant" in page
    # The first directory that knew a user governs the account: the second neither lifts its block nor blocks.
    zoe = world.tree.person("zoe", PASSWORD)
    world.tree.flush()
    there = other.person("zoe2", PASSWORD)
    other.flush()
    world.sign_in("zoe", to=client)
    here = f"/users/{world.user('zoe')['id']}"
    assert world.default.root.put(here, provider="ldapsecond", extern_uid=there).status == 200
    world.sign_in("zoe2", to=client)
    assert (world.answer.status, world.user("zoe")["email"]) == (303, "zoe@corp.example")
    world.tree.delete(zoe)
    world.tree.flush()
    assert world.check_users().changes == ["block zoe"]
    world.sign_in("zoe2", to=client)
    assert (world.answer.status, world.user("zoe")["state"]) == (422, "blocked")
    # Where the edition has one directory, the second is not asked, and its users do not enter.
    set_edition("core")
    world.sign_in("ann", to=client)
    assert world.answer.status == 422
    world.sign_in("jo", to=client)
    assert world.answer.status == 303


@pytest.mark.parametrize("trouble", ["down", "silent", "resets"])
def test_without_its_directory_a_user_gets_503_and_local_accounts_enter(world, trouble, unfriendly_server):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    world.sign_in("jo")
    broken = world.directory(url=unfriendly_server(trouble), timeout=0.3)
    client = world.client(broken)
    page = world.sign_in("jo", to=client).page.text
    assert (world.answer.status, "cannot be reached" in page) == (503, True)
    world.sign_in("unheard-of", to=client)
    assert world.answer.status == 503
    assert git(world, "jo", to=client) == 503
    root = world.cast(broken).root
    assert root.put(f"/users/{root.id}", password="local-password-1").status == 200
    world.sign_in("root", "local-password-1", to=client)
    assert world.answer.status == 303
    report = world.check_users(directory=broken)
    assert report.outcome == "failed"
    assert world.user("jo")["state"] == "active"


def test_a_certificate_that_is_not_accepted_ends_the_connection_before_anything_is_sent(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    slapd = world.tree.slapd
    trusted = {"ca_file": slapd.authority}
    wrong_name = {"url": slapd.tls_url.replace("127.0.0.1", "localhost"), **trusted}
    for refused in (
        {"start_tls": True},
        {"url": slapd.tls_url},
        wrong_name,
        {"url": slapd.url.replace("127.0.0.1", "localhost"), "start_tls": True, **trusted},
        {"url": slapd.tls_url.replace(str(slapd.tls_port), str(slapd.port)), **trusted},
    ):
        before = (slapd.folder / "log").read_text().count(" BIND ")
        world.sign_in("jo", to=world.client(world.directory(**refused)))
        assert world.answer.status == 503, refused
        assert (slapd.folder / "log").read_text().count(" BIND ") == before, refused
    with slapd.expired_server() as url:
        world.sign_in("jo", to=world.client(world.directory(url=url, **trusted)))
    assert world.answer.status == 503
    for accepted in (
        {"start_tls": True, **trusted},
        {"url": slapd.tls_url, "tls_min": "1.3", **trusted},
        wrong_name | {"verify_tls": False},
        {"start_tls": True, "verify_tls": False},
    ):
        world.sign_in("jo", to=world.client(world.directory(**accepted)))
        assert world.answer.status == 303, accepted


def test_two_factor_authentication_and_the_profile_of_a_user_of_the_directory(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    browser = world.sign_in("jo")
    shown = browser.open("/profile/emails").text
    assert "A directory keeps your primary email" in shown
    assert 'action="/profile/email"' not in shown
    answer = browser.send("/profile/email", user={"email": "new@corp.example", "current_password": PASSWORD})
    assert "is kept in the directory" in answer.text
    shown = browser.open("/profile/password/edit").text
    assert "A directory keeps your password" in shown
    assert 'action="/profile/password/edit"' not in shown
    new = {"current_password": PASSWORD, "password": "another-one-1", "password_confirmation": "another-one-1"}
    assert "is kept in the directory" in browser.send("/profile/password/edit", user=new).text
    browser.open("/users/password/new")
    mails = list((world.stage.folder / "mails").glob("*")) if (world.stage.folder / "mails").exists() else []
    browser.send("/users/password", user={"email": "jo@corp.example"})
    after = list((world.stage.folder / "mails").glob("*")) if (world.stage.folder / "mails").exists() else []
    assert len(after) == len(mails)


@pytest.mark.commits
def test_two_first_sign_ins_at_once_make_one_account(world):
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    browsers = [Visitor(world.default.anonymous) for _ in range(4)]
    for browser in browsers:
        browser.open("/users/sign_in")
    form = {"user": {"login": "jo", "password": PASSWORD}}

    async def send(browser):
        token = TOKEN.search(browser.page.text)[1]
        raw = Raw(
            body=form_text({"authenticity_token": token, **form}).encode(), type="application/x-www-form-urlencoded",
            headers={"accept": "text/html", "cookie": f"_service_session={browser.cookie}"},
        )  # fmt: skip
        return (await browser.client.exchange("POST", "//users/sign_in", raw)).status

    async def together():
        return await asyncio.gather(*map(send, browsers))

    assert world.run(together()) == [303] * 4
    assert world.value("SELECT count(*) FROM identities") == 1
