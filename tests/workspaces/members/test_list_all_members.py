from tests.harness.cases import Case, cases
from tests.harness.creation import chain
from tests.workspaces.members.sources import people


def levels(answer):
    assert answer.status == 200, answer
    return {each["username"]: each["access_level"] for each in answer.json}


def test_all_users_with_access_are_listed_with_their_highest_level(cast):
    assert levels(cast.owner.get(f"/projects/{cast.private.id}/members/all")) == {
        "owner": 50, "master": 40, "developer": 30, "reporter": 20, "guest": 10, "blocked": 30, "inherited": 30,
        "shared": 20, "read_user": 30,
    }  # fmt: skip


def test_members_of_groups_above_are_members(cast):
    assert levels(cast.owner.get(f"/groups/{cast.team.id}/members/all")) == {"owner": 50, "inherited": 30}


def test_the_higher_level_wins(cast):
    top, below = chain(cast.owner, "top", "below")
    cast.owner.post(f"/groups/{top['id']}/members", user_id=cast.guest.id, access_level=30)
    cast.owner.post(f"/groups/{below['id']}/members", user_id=cast.guest.id, access_level=10)
    assert levels(cast.owner.get(f"/groups/{below['id']}/members/all"))["guest"] == 30
    cast.owner.put(f"/groups/{below['id']}/members/{cast.guest.id}", access_level=40)
    assert levels(cast.owner.get(f"/groups/{below['id']}/members/all"))["guest"] == 40
    assert levels(cast.owner.get(f"/groups/{top['id']}/members/all"))["guest"] == 30


def test_one_of_all_members_is_shown_as_in_the_list(cast):
    for place in (f"/groups/{cast.team.id}", f"/projects/{cast.private.id}"):
        all_members = f"{place}/members/all"
        for member in cast.owner.get(all_members).json:
            assert cast.owner.get(f"{all_members}/{member['id']}").json == member
        missing = cast.owner.get(f"{all_members}/{cast.stranger.id}")
        assert (missing.status, missing.json) == (404, {"message": "404 Member Not Found"})
        assert cast.anonymous.get(f"{all_members}/{cast.owner.id}").status == 401
    hidden = cast.stranger.get(f"/projects/{cast.private.id}/members/all/{cast.owner.id}")
    assert hidden.json == {"message": "404 Project Not Found"}


def test_each_is_counted_once(cast):
    answer = cast.owner.get(f"/projects/{cast.private.id}/members/all", per_page=3)
    assert (len(answer.json), answer.headers["X-Total"]) == (3, "9")


def test_members_are_found_by_name(cast):
    assert people(cast.owner.get(f"/projects/{cast.private.id}/members/all", query="inherit")) == ["inherited"]


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/members/all", 401),
        Case("stranger", "GET /projects/{private.id}/members/all", 404, {"message": "404 Project Not Found"}),
        Case("stranger", "GET /groups/{team.id}/members/all", 200, statements=5),
        Case("guest", "GET /projects/{private.id}/members/all", 200, statements=5),
    ]
)
def test_readers_of_the_group_or_project_see_its_members(case, cast):
    case.holds(cast)
