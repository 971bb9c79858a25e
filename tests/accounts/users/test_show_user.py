from tests.accounts.users.test_list_users import ADMIN, PUBLIC
from tests.harness.cases import Case, Has, cases

SINGLE = PUBLIC | {
    "created_at", "bio", "location", "skype", "linkedin", "twitter", "website_url", "organization",
}  # fmt: skip


def test_everybody_sees_of_a_person_what_is_theirs_to_see(cast):
    for person in (cast.guest, cast.stranger, cast.external, cast.anonymous, cast.reporter, cast.read_user):
        assert set(person.get(f"/users/{cast.reporter.id}").json) == SINGLE
    assert set(cast.root.get(f"/users/{cast.reporter.id}").json) == ADMIN | {"shared_runners_minutes_limit"}


def test_omitted_attributes_are_empty_or_null(cast):
    person = cast.guest.get(f"/users/{cast.reporter.id}").json
    assert {person[name] for name in ("skype", "linkedin", "twitter", "website_url")} == {""}
    assert {person[name] for name in ("bio", "location", "organization", "avatar_url")} == {None}
    assert person["web_url"] == "http://mujina.test/reporter"


@cases(
    [
        Case("guest", "GET /users/99999", 404, {"message": "404 User Not Found"}),
        Case("guest", "GET /users/ASDF", 404, {"error": "404 Not Found"}),
        Case("guest", "GET /users/{blocked.id}", 200, Has(state="blocked")),
        Case("blocked", "GET /users/{guest.id}", 403, {"message": "403 Forbidden - User is blocked"}),
        Case("guest", "GET /users/{root.id}", 200, Has(username="root"), statements=4),
        Case("root", "GET /users/{root.id}", 200, Has(is_admin=True), statements=4),
    ]
)
def test_callers_are_shown_users_at_a_fixed_cost(case, cast):
    case.holds(cast)
