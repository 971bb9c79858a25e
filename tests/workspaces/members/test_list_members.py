from mujina.kernel.http import paging
from tests.harness.cases import Case, cases
from tests.harness.creation import make_project
from tests.workspaces.members.sources import at, both, people


@both
def test_direct_members_are_listed(cast, place):
    here = at(cast, place)
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=10)
    assert people(cast.stranger.get(f"{here}/members")) == ["owner", "guest"]


@both
def test_listing_members_requires_a_caller(cast, place):
    assert cast.anonymous.get(f"{at(cast, place)}/members").status == 401


@cases(
    [
        Case("stranger", "GET /projects/{private.id}/members", 404, {"message": "404 Project Not Found"}),
        Case("guest", "GET /projects/{private.id}/members", 200, statements=4),
        Case("stranger", "GET /groups/999999/members", 404, {"message": "404 Group Not Found"}),
        Case("stranger", "GET /groups/{team.id}/members", 200, statements=4),
    ]
)
def test_readers_of_the_group_or_project_see_its_members(case, cast):
    case.holds(cast)


def test_inherited_and_expired_members_are_not_listed(cast):
    assert people(cast.owner.get(f"/projects/{cast.private.id}/members")) == [
        "master", "developer", "reporter", "guest", "blocked", "read_user",
    ]  # fmt: skip
    assert people(cast.owner.get(f"/groups/{cast.team.id}/members")) == ["owner"]


def test_the_owner_of_a_personal_project_is_listed_as_its_master(cast):
    project = make_project(cast.guest, "mine")
    [member] = cast.guest.get(f"/projects/{project['id']}/members").json
    assert (member["username"], member["access_level"]) == ("guest", 40)


def test_members_are_found_by_name_and_username_and_by_address_only_by_those_who_choose_them(cast):
    at_project = f"/projects/{cast.private.id}/members"
    assert people(cast.owner.get(at_project, query="repor")) == ["reporter"]
    assert people(cast.owner.get(at_project, query="nobody")) == []
    for path in (at_project, f"{at_project}/all"):
        found = [people(each.get(path, query="reporter@example.org")) for each in (cast.master, cast.root, cast.guest)]
        assert found == [["reporter"], ["reporter"], []]


def test_a_member_is_shown_with_level_and_expiry(cast):
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.guest.id, access_level=20, expires_at="2999-01-02")
    [member] = cast.owner.get(f"/groups/{cast.team.id}/members", query="guest").json
    assert member == {
        "id": cast.guest.id,
        "username": "guest",
        "name": "Guest",
        "state": "active",
        "avatar_url": None,
        "web_url": "http://mujina.test/guest",
        "access_level": 20,
        "created_at": member["created_at"],
        "expires_at": "2999-01-02",
    }


def test_pages_add_up(cast, monkeypatch):
    whole = cast.owner.get(f"/projects/{cast.private.id}/members").json
    monkeypatch.setattr(paging, "_FAR", 2)  # from the nearer end
    for size in (1, 2, 4, 5):
        far = [cast.owner.get(f"/projects/{cast.private.id}/members", per_page=size, page=n).json for n in range(1, 8)]
        assert [member for page in far for member in page] == whole
    pages = [cast.owner.get(f"/projects/{cast.private.id}/members", per_page=4, page=number) for number in (1, 2)]
    assert [len(page.json) for page in pages] == [4, 2]
    assert pages[0].headers["X-Total"] == "6"


def test_members_are_found_by_their_ids(cast):
    for path in (f"/projects/{cast.private.id}/members", f"/projects/{cast.private.id}/members/all"):
        answer = cast.owner.get(path, **{"user_ids[]": cast.guest.id})
        assert (people(answer), answer.headers["X-Total"]) == (["guest"], "1")
        assert "guest" not in people(cast.owner.get(path, skip_users=f"{cast.guest.id},{cast.root.id}"))
