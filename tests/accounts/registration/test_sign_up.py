"""Signing up: off by default; by settings with a confirmed address, with approval, and for some domains only."""

import pytest

from tests.harness.visitor import Visitor

PASSWORD = "a-password-of-newt"
FORM = {
    "user[name]": "Newt", "user[username]": "newt", "user[email]": "newt@example.org", "user[password]": PASSWORD,
}  # fmt: skip
OPEN = {"signup_enabled": True, "require_admin_approval_after_user_signup": False}


@pytest.fixture
def decide(cast):
    """`decide(signup_enabled=True)`: administrators decide so."""

    def put(**settings):
        answer = cast.root.put("/application/settings", **settings)
        assert answer.status == 200, answer.body
        return answer.json

    return put


@pytest.fixture
def visitor(cast):
    return Visitor(cast.anonymous)


def sign_up(visitor, **changes):
    visitor.open("/users/sign_up")
    return visitor.send("/users/sign_up", **FORM | {f"user[{name}]": value for name, value in changes.items()})


def found(cast, username="newt"):
    return cast.root.get("/users", username=username).json


def test_signing_up_requires_the_permission_of_administrators(cast, decide, visitor):
    assert visitor.open("/users/sign_up").status == 404
    assert "/users/sign_up" not in visitor.open("/users/sign_in").text
    assert visitor.send("/users/sign_up", token=visitor.token, **FORM).status == 404
    decide(signup_enabled=True, password_authentication_enabled_for_web=False)
    assert visitor.open("/users/sign_up").status == 404
    assert found(cast) == []


def test_a_visitor_signs_up_and_signs_in(cast, decide, visitor):
    decide(**OPEN, default_projects_limit=7, after_sign_up_text="Welcome to the pond")
    assert visitor.open("/users/sign_in").text.count("/users/sign_up") == 1
    answer = sign_up(visitor)
    assert (answer.status, answer.headers["Location"]) == (303, "/users/sign_in?notice=registered")
    page = visitor.open("/users/sign_in?notice=registered").text
    assert "Your account is ready" in page
    assert "Welcome to the pond" in page
    visitor.sign_in("newt", PASSWORD)
    assert visitor.open("/profile").status == 200, "the password need not be changed"
    [user] = found(cast)
    assert (user["state"], user["projects_limit"], user["external"], user["is_admin"]) == ("active", 7, False, False)
    assert visitor.open("/users/sign_up").headers["Location"] == "/", "a user has an account"


def test_an_account_waits_until_an_administrator_approves_it(cast, decide, visitor, browse):
    decide(signup_enabled=True)
    assert sign_up(visitor).headers["Location"] == "/users/sign_in?notice=pending"
    [user] = found(cast)
    assert user["state"] == "blocked_pending_approval"
    assert "waiting for approval" in visitor.sign_in("newt", PASSWORD).text
    root = browse("root")
    assert "pending approval" in root.open("/admin/users?filter=pending").text
    assert "newt" not in root.open("/admin/users?filter=blocked").text
    assert "Approve" in root.open("/admin/users/newt").text
    assert root.send("/admin/users/newt/approve").status == 303
    assert found(cast)[0]["state"] == "active"
    root.open("/admin/users/newt")
    assert root.send("/admin/users/newt/approve").status == 409
    assert root.send("/admin/users/newt/reject").status == 409
    assert visitor.sign_in("newt", PASSWORD).status == 303
    audited = cast.root.get("/audit_events", entity_type="User", entity_id=user["id"]).json
    assert "user approved" in [entry["details"].get("custom_message") for entry in audited]


def test_a_rejected_account_is_gone(cast, decide, visitor, browse):
    decide(signup_enabled=True)
    sign_up(visitor)
    root = browse("root")
    root.open("/admin/users/newt")
    assert root.send("/admin/users/newt/reject").headers["Location"] == "/admin/users?filter=pending"
    assert found(cast) == []
    assert sign_up(visitor).status == 303, "name and address are free"


def test_only_administrators_approve(decide, visitor, browse):
    decide(signup_enabled=True)
    sign_up(visitor)
    other = browse("owner")
    other.open("/profile")
    for verb in ("approve", "reject"):
        assert other.send(f"/admin/users/newt/{verb}").status in (403, 404)


def test_the_api_approves_and_rejects(cast, decide, visitor):
    decide(signup_enabled=True)
    sign_up(visitor)
    place = f"/users/{found(cast)[0]['id']}"
    assert cast.root.post(f"{place}/unblock").json is False, "only approval lets the user in"
    assert cast.root.post(f"{place}/block").json is False
    approved = cast.root.post(f"{place}/approve")
    assert (approved.status, approved.json) == (201, {"message": "Success"})
    for verb in ("approve", "reject"):
        again = cast.root.post(f"{place}/{verb}")
        message = f"The user you are trying to {verb} is not pending approval"
        assert (again.status, again.json) == (409, {"message": message})
    sign_up(visitor, username="eft", email="eft@example.org")
    assert cast.root.post(f"/users/{found(cast, 'eft')[0]['id']}/reject").status == 200
    assert found(cast, "eft") == []


def test_an_administrator_learns_of_a_new_user_by_a_system_hook_and_the_audit_log(cast, decide, visitor):
    decide(**OPEN)
    sign_up(visitor)
    [user] = found(cast)
    assert "user.created" in cast.events()
    audited = cast.root.get("/audit_events", entity_type="User", entity_id=user["id"]).json
    assert [entry["details"].get("add") for entry in audited] == ["user"]


@pytest.mark.parametrize(
    "settings", [{"require_admin_approval_after_user_signup": True}, {"send_user_confirmation_email": True}]
)
def test_an_address_with_an_account_is_not_told(cast, decide, visitor, settings):
    decide(**OPEN | settings)
    email = cast.root.get(f"/users/{cast.guest.id}").json["email"]
    known = sign_up(visitor, email=email.upper())
    assert found(cast) == []
    fresh = sign_up(visitor)
    assert (known.status, known.headers["Location"]) == (fresh.status, fresh.headers["Location"])
    for wrong in ({"username": "newt"}, {"username": "admin"}, {"password": "short"}, {"name": ""}):
        answers = [
            sign_up(visitor, **{"username": "other", **wrong, "email": address}) for address in (email, "x@example.org")
        ]
        assert [answer.status >= 400 for answer in answers] == [True, True], wrong
        assert answers[0].status == answers[1].status


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"username": "admin"}, "Username"),
        ({"username": "a b"}, "Username"),
        ({"username": ""}, "Username"),
        ({"username": "guest"}, "taken"),
        ({"name": " "}, "Name"),
        ({"email": "nowhere"}, "Email"),
        ({"password": "short"}, "too short"),
        ({"password": ""}, "Password"),
        ({"password": "x" * 129}, "too long"),
    ],
)
def test_the_form_names_the_problem_and_keeps_its_values(cast, decide, visitor, wrong, sentence):
    decide(**OPEN)
    answer = sign_up(visitor, **wrong)
    assert answer.status in (409, 422)
    assert sentence in answer.text
    assert 'value="newt@example.org"' in answer.text or "email" in wrong
    assert PASSWORD not in answer.text
    assert found(cast) == []


def test_the_domain_of_the_address_has_to_be_allowed(cast, decide, visitor):
    shown = decide(**OPEN, domain_allowlist=["example.com"])
    assert shown["domain_whitelist"] == shown["domain_allowlist"] == ["example.com"]
    assert "allowed domain" in sign_up(visitor).text
    decide(domain_allowlist=[], domain_denylist=["example.org"], domain_denylist_enabled=True)
    assert "allowed domain" in sign_up(visitor).text
    decide(domain_denylist_enabled=False)
    assert sign_up(visitor).status == 303
    assert len(found(cast)) == 1


def test_many_attempts_from_one_address_are_refused_for_a_while(cast, decide, visitor):
    decide(**OPEN)
    answers = [sign_up(visitor, name="") for _ in range(21)]
    assert {answer.status for answer in answers[:19]} == {422}
    assert answers[-1].status == 429
    assert found(cast) == []


def test_a_form_of_another_site_creates_no_account(cast, decide, visitor):
    decide(**OPEN)
    visitor.open("/users/sign_up")
    assert visitor.send("/users/sign_up", token="wrong", **FORM).status == 422
    assert found(cast) == []
