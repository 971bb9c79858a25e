import pytest

from tests.harness.cases import Case, Has, cases
from tests.workspaces.members.sources import at, both

GROUP = "POST /groups/{team.id}/members"
PROJECT = "POST /projects/{private.id}/members"


def membership(cast, **more):
    return {"user_id": cast.stranger.id, "access_level": 30, **more}


@pytest.mark.parametrize(
    ("who", "where", "status"),
    [
        ("anonymous", "/groups/{team.id}", 401),
        ("owner", "/groups/{team.id}", 201),
        ("root", "/groups/{team.id}", 201),
        ("inherited", "/groups/{team.id}", 403),
        ("stranger", "/groups/{team.id}", 403),
        ("owner", "/groups/999999", 404),
        ("owner", "/projects/{private.id}", 201),
        ("master", "/projects/{private.id}", 201),
        ("developer", "/projects/{private.id}", 403),
        ("shared", "/projects/{private.id}", 403),
        ("stranger", "/projects/{private.id}", 404),
        ("stranger", "/projects/{public.id}", 403),
        ("anonymous", "/projects/{public.id}", 401),
    ],
)
def test_owners_of_groups_and_masters_of_projects_choose_members(cast, who, where, status):
    seen = len(cast.events())
    answer = getattr(cast, who).ask("POST", f"{where.format_map(cast.names)}/members", params=membership(cast))
    assert answer.status == status, answer
    assert cast.events()[seen:] == (["member.added"] if status == 201 else [])
    if status == 201:
        assert (answer.json["id"], answer.json["access_level"], answer.json["expires_at"]) == (
            cast.stranger.id, 30, None,
        )  # fmt: skip


@both
def test_access_begins_with_the_next_request(cast, place):
    private = at(cast, place)
    cast.owner.put(private, visibility="private")
    assert cast.stranger.get(private).status == 404
    cast.owner.ask("POST", f"{private}/members", params=membership(cast))
    assert cast.stranger.get(private).status == 200


@both
def test_a_member_is_not_added_twice(cast, place):
    here = at(cast, place)
    assert cast.owner.ask("POST", f"{here}/members", params=membership(cast)).status == 201
    answer = cast.owner.ask("POST", f"{here}/members", params=membership(cast, access_level=15))
    assert (answer.status, answer.json) == (409, {"message": "Member already exists"})


@both
@pytest.mark.parametrize("level", [0, 15, -10, 60, 2**62])
def test_the_access_level_must_be_a_known_one(cast, place, level):
    answer = cast.owner.ask("POST", f"{at(cast, place)}/members", params=membership(cast, access_level=level))
    assert (answer.status, answer.json) == (400, {"message": {"access_level": ["is not included in the list"]}})


def test_a_project_has_no_owners_of_its_own(cast):
    answer = cast.owner.ask("POST", f"/projects/{cast.private.id}/members", params=membership(cast, access_level=50))
    assert (answer.status, answer.json) == (400, {"message": {"access_level": ["is not included in the list"]}})
    assert (
        cast.owner.ask("POST", f"/groups/{cast.team.id}/members", params=membership(cast, access_level=50)).status
        == 201
    )


@both
def test_an_unknown_user_cannot_be_added(cast, place):
    answer = cast.owner.post(f"{at(cast, place)}/members", user_id=999_999, access_level=30)
    assert (answer.status, answer.json) == (400, {"message": {"user": ["can't be blank"]}})


@cases(
    [
        Case("owner", GROUP, 400, Has(message='400 (Bad request) "user_id" not given'), {"access_level": 30}),
        Case("owner", PROJECT, 400, Has(message='400 (Bad request) "access_level" not given'), {"user_id": 1}),
        Case("owner", PROJECT, 400, {"error": "user_id is invalid"}, {"user_id": "x", "access_level": 30}),
        Case(
            "owner", PROJECT, 400, {"error": "expires_at is invalid"},
            {"user_id": 1, "access_level": 30, "expires_at": "2018-02-30"},
        ),
    ]
)  # fmt: skip
def test_a_member_needs_its_required_parameters(case, cast):
    case.holds(cast)


@both
@pytest.mark.parametrize("moment", ["2999-03-04", "2999-03-04T10:00:00Z"])
def test_membership_may_end_on_a_day(cast, place, moment):
    answer = cast.owner.ask("POST", f"{at(cast, place)}/members", params=membership(cast, expires_at=moment))
    assert answer.json["expires_at"] == "2999-03-04"


@both
def test_an_expired_member_may_be_added_again(cast, place):
    here = at(cast, place)
    cast.owner.ask("POST", f"{here}/members", params=membership(cast, expires_at="2018-01-01"))
    assert cast.owner.get(f"{here}/members/{cast.stranger.id}").status == 404
    assert (
        cast.owner.ask("POST", f"{here}/members", params=membership(cast, access_level=20)).json["access_level"] == 20
    )


@both
def test_a_request_for_access_becomes_the_membership(cast, place):
    here = at(cast, place)
    cast.stranger.post(f"{here}/access_requests")
    cast.owner.ask("POST", f"{here}/members", params=membership(cast))
    assert cast.owner.get(f"{here}/access_requests").json == []


def test_the_membership_lock_forbids_new_members_in_every_project_below(cast):
    cast.root.put(f"/groups/{cast.company.id}", membership_lock=True)
    for who in (cast.master, cast.owner, cast.root):
        answer = who.ask("POST", f"/projects/{cast.private.id}/members", params=membership(cast))
        assert (answer.status, answer.json) == (405, {"message": "405 Method Not Allowed"})
    assert cast.owner.ask("POST", f"/groups/{cast.team.id}/members", params=membership(cast)).status == 201


def test_a_member_at_the_root_is_one_row(cast):
    before = cast.rows("SELECT count(*) FROM members")[0][0]
    cast.root.ask("POST", f"/groups/{cast.company.id}/members", params=membership(cast))
    assert cast.rows("SELECT count(*) FROM members") == [(before + 1,)]
    assert cast.stranger.get(f"/projects/{cast.private.id}").status == 200


def test_a_member_is_named_by_id_or_by_username(cast):
    here = f"/projects/{cast.private.id}/members"
    assert cast.owner.post(here, username="STRANGER", access_level=30).json["id"] == cast.stranger.id
    assert cast.owner.post(here, username="nobody", access_level=30).json == {"message": "404 User Not Found"}
    assert cast.stranger.post(here, access_level=30).json["error"] == "user_id is missing"


@both
def test_several_users_become_members_at_once(cast, place):
    here = f"{at(cast, place)}/members"
    both_ids = f"{cast.stranger.id},{cast.left.id}"
    answer = cast.owner.post(here, user_id=both_ids, access_level=20, expires_at="2999-03-04")
    assert (answer.status, answer.json) == (201, {"status": "success"})
    members = [cast.owner.get(f"{here}/{user.id}").json for user in (cast.stranger, cast.left)]
    assert [(each["access_level"], each["expires_at"]) for each in members] == [(20, "2999-03-04")] * 2
    # Those who can become members do; the others are named with the reason.
    mixed = cast.owner.post(here, user_id=f"{cast.stranger.id},{cast.external.id},999999", access_level=20)
    assert (mixed.status, mixed.json) == (
        201,
        {
            "status": "error",
            "message": {str(cast.stranger.id): "Member already exists", "999999": "User can't be blank"},
        },
    )
    assert cast.owner.get(f"{here}/{cast.external.id}").json["access_level"] == 20


@cases(
    [
        Case("owner", GROUP, 400, {"error": "user_id is invalid"}, {"user_id": "1,x", "access_level": 30}),
        Case("owner", GROUP, 400, {"message": {"access_level": ["is not included in the list"]}},
             {"user_id": "1,2", "access_level": 15}),
        Case("owner", PROJECT, 400, Has(message='400 (Bad request) "user_id" not given'), {"user_id": "", "access_level": 30}),
        Case("developer", PROJECT, 403, params={"user_id": "1,2", "access_level": 30}),
    ]
)  # fmt: skip
def test_several_users_are_refused_as_one_is(case, cast):
    case.holds(cast)
