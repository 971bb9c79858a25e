import pytest

from tests.harness.cases import Case, Has, cases

PUBLIC = {"id", "username", "name", "state", "avatar_url", "web_url"}
ADMIN = PUBLIC | {
    "email", "is_admin", "created_at", "bio", "location", "skype", "linkedin", "twitter", "website_url",
    "organization", "last_sign_in_at", "confirmed_at", "theme_id", "last_activity_on", "color_scheme_id",
    "projects_limit", "current_sign_in_at", "identities", "can_create_group", "can_create_project",
    "two_factor_enabled", "external",
}  # fmt: skip


def names(answer):
    assert answer.status == 200, answer
    return [person["username"] for person in answer.json]


def test_administrators_see_people_whole_and_others_see_references(cast):
    assert set(cast.root.get("/users").json[0]) == ADMIN
    for person in (cast.guest, cast.stranger, cast.external, cast.read_user):
        assert all(set(each) == PUBLIC for each in person.get("/users").json)


def test_the_newest_person_is_first_whatever_others_ask(cast):
    ids = [person["id"] for person in cast.guest.get("/users", order_by="name", sort="asc").json]
    assert ids == sorted(ids, reverse=True)


@pytest.mark.parametrize("order_by", ["id", "name", "username", "created_at", "updated_at"])
@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_administrators_choose_the_order(cast, order_by, sort):
    people = cast.root.get("/users", order_by=order_by, sort=sort, per_page=100).json
    column = {"updated_at": "id"}.get(order_by, order_by)
    keys = [(person[column], person["id"]) for person in people]
    if order_by != "updated_at":
        assert keys == sorted(keys, reverse=sort == "desc")
    assert len(people) == 14


def test_names_are_ordered_whatever_their_case(cast):
    cast.root.put(f"/users/{cast.guest.id}", name="abe", username="Zoe")
    assert names(cast.root.get("/users", order_by="name", sort="asc"))[0] == "Zoe"
    assert names(cast.root.get("/users", order_by="username"))[0] == "Zoe"


def test_only_true_filters_by_state(cast):
    everybody = set(names(cast.root.get("/users", per_page=100)))
    assert names(cast.root.get("/users", blocked="true")) == ["blocked"]
    assert set(names(cast.root.get("/users", active="true", per_page=100))) == everybody - {"blocked"}
    assert set(names(cast.root.get("/users", blocked="false", active="false", per_page=100))) == everybody


def test_blocked_by_the_directory_is_blocked(cast):
    cast.run("UPDATE users SET state = 'ldap_blocked' WHERE id = :id", id=cast.guest.id)
    found = cast.root.get("/users", blocked="true").json
    assert {(person["username"], person["state"]) for person in found} == {("blocked", "blocked"), ("guest", "blocked")}


def test_a_username_is_matched_whole_and_without_regard_to_case(cast):
    assert names(cast.stranger.get("/users", username="ROOT")) == ["root"]
    assert names(cast.stranger.get("/users", username="roo")) == []


def test_a_search_looks_into_name_and_username_and_at_the_whole_address(cast):
    assert names(cast.root.get("/users", search="eporte")) == ["reporter"]
    assert names(cast.root.get("/users", search="REPORTER@example.org")) == ["reporter"]
    assert names(cast.root.get("/users", search="reporter@example")) == []


def test_a_search_shows_the_best_matches_first(cast):
    for username, name, email in (
        ("zed", "Amber", "zed@example.org"),
        ("amber", "Zed", "one@example.org"),
        ("alpha", "An amber thing", "two@example.org"),
        ("beta", "Beta ambers", "three@example.org"),
    ):
        made = cast.root.post("/users", username=username, name=name, email=email, reset_password=True)
        assert made.status == 201, made
    assert names(cast.guest.get("/users", search="amber")) == ["zed", "amber", "alpha", "beta"]
    assert names(cast.root.get("/users", search="amber")) == ["zed", "amber", "alpha", "beta"]
    assert names(cast.root.get("/users", search="amber", order_by="id", sort="asc")) == [
        "zed",
        "amber",
        "alpha",
        "beta",
    ]
    assert names(cast.root.get("/users", search="amber", sort="desc")) == ["beta", "alpha", "amber", "zed"]


def test_external_people_are_for_administrators_to_list(cast):
    assert names(cast.root.get("/users", external="true")) == ["external"]
    assert "external" not in names(cast.guest.get("/users", per_page=100))
    assert cast.guest.get("/users", external="true").status == 403


def test_people_are_found_by_their_account_at_a_provider(cast):
    assert cast.root.put(f"/users/{cast.guest.id}", provider="github", extern_uid="G-1").status == 200
    assert names(cast.root.get("/users", provider="github", extern_uid="g-1")) == ["guest"]
    assert names(cast.root.get("/users", provider="gitlab", extern_uid="g-1")) == []
    assert cast.guest.get("/users", provider="github", extern_uid="g-1").status == 403


def test_people_of_a_directory_can_be_left_out(cast):
    assert cast.root.put(f"/users/{cast.guest.id}", provider="ldapmain", extern_uid="cn=guest").status == 200
    assert "guest" not in names(cast.root.get("/users", skip_ldap="true", per_page=100))


def test_only_administrators_filter_by_the_time_of_creation(cast):
    newest = cast.root.get("/users").json[0]
    assert names(cast.root.get("/users", created_after=newest["created_at"]))[:1] == [newest["username"]]
    assert names(cast.root.get("/users", created_before="2001-01-01T00:00:00Z")) == []
    assert len(names(cast.guest.get("/users", created_before="2001-01-01T00:00:00Z", per_page=100))) == 13


def test_custom_attributes_narrow_the_list_of_administrators(cast):
    for key, value in (("floor", "3"), ("team", "blue")):
        assert cast.root.put(f"/users/{cast.guest.id}/custom_attributes/{key}", value=value).status == 200
    assert names(cast.root.get("/users?custom_attributes[floor]=3&custom_attributes[team]=blue")) == ["guest"]
    assert names(cast.root.get("/users?custom_attributes[floor]=3&custom_attributes[team]=red")) == []
    assert len(names(cast.guest.get("/users?custom_attributes[floor]=4", per_page=100))) == 13


@cases(
    [
        Case("anonymous", "GET /users", 403, {"message": "403 Forbidden - Not authorized to access /api/v4/users"}),
        Case("anonymous", "GET /users", 200, [Has(username="root")], {"username": "Root"}),
        Case("anonymous", "GET /users", 200, [], {"username": "guest", "search": "guest@example.org"}),
        Case("stranger", "GET /users", 200, [Has(username="guest")], {"search": "guest@example.org"}),
        Case("blocked", "GET /users", 403, {"message": "403 Forbidden - User is blocked"}),
        Case(
            "root", "GET /users", 400, {"error": "extern_uid, provider provide all or none of parameters"},
            {"extern_uid": "x"},
        ),
        Case("root", "GET /users", 400, {"error": "order_by does not have a valid value"}, {"order_by": "email"}),
        Case("root", "GET /users", 200, statements=5),
        Case("guest", "GET /users", 200, statements=4),
    ]
)  # fmt: skip
def test_callers_list_the_users_they_may_see_at_a_fixed_cost(case, cast):
    case.holds(cast)


def test_the_list_is_paginated(cast):
    answer = cast.root.get("/users", per_page=5, page=2)
    assert (answer.headers["X-Total"], answer.headers["X-Total-Pages"], len(answer.json)) == ("14", "3", 5)


def test_filters_of_newer_api_versions_narrow_the_list(cast):
    def usernames(who=cast.root, **query):
        return {user["username"] for user in who.get("/users", per_page=100, **query).json}

    everyone = usernames()
    assert usernames(exclude_external=True) == everyone - {"external"}
    assert usernames(exclude_internal=True) == usernames(humans=True) == everyone - {"ghost"}
    assert usernames(admins=True) == {"root"}
    assert usernames(two_factor="enabled") == set()
    assert usernames(two_factor="disabled") == everyone
    assert {"stranger", "root"} <= usernames(without_projects=True) <= everyone - {"guest", "developer"}
    assert "guest" in usernames(cast.guest, admins=True, two_factor="enabled")
