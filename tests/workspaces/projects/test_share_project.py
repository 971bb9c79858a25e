import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_group

AT = "POST /projects/{private.id}/share"


@pytest.fixture
def band(cast):
    """A group of the stranger's own, that is public."""
    return make_group(cast.stranger, "band", visibility="public")["id"]


@cases(
    [
        Case("anonymous", AT, 401, params={"group_id": 1, "group_access": 10}),
        Case("developer", AT, 403, {"message": "403 Forbidden"}, {"group_id": 1, "group_access": 10}),
        Case("master", AT, 404, {"message": "404 Group Not Found"}, {"group_id": 999999, "group_access": 10}),
        Case(
            "master",
            AT,
            400,
            {"error": "group_access does not have a valid value"},
            {"group_id": 1, "group_access": 15},
        ),
        Case("master", AT, 400, Has(error="group_id is missing, group_access is missing")),
    ]
)
def test_masters_share_with_groups_they_see(case, cast):
    case.holds(cast)


def test_members_of_the_group_get_in_up_to_the_cap(cast, band):
    path = f"/projects/{cast.private.id}"
    share = cast.master.post(f"{path}/share", group_id=band, group_access=20)
    assert share.status == 201
    assert (
        share.json.items()
        >= {"project_id": cast.private.id, "group_id": band, "group_access": 20, "expires_at": None}.items()
    )
    assert cast.stranger.get(path).status == 200
    assert cast.stranger.put(path, description="x").status == 403
    assert {"group_id": band, "group_name": "band", "group_access_level": 20} in cast.master.get(path).json[
        "shared_with_groups"
    ]
    again = cast.master.post(f"{path}/share", group_id=band, group_access=20)
    assert (again.status, again.json) == (409, {"message": "Group already shared with this group"})
    assert cast.master.delete(f"{path}/share/{band}").status == 204
    assert cast.stranger.get(path).status == 404
    gone = cast.master.delete(f"{path}/share/{band}")
    assert (gone.status, gone.json) == (404, {"message": "404 Group Link Not Found"})


def test_a_hidden_group_is_named_only_to_those_who_see_it_or_may_end_the_share(cast):
    hidden = make_group(cast.master, "hidden", visibility="private")["id"]
    path = f"/projects/{cast.public.id}"
    assert cast.root.post(f"{path}/share", group_id=hidden, group_access=10).status == 201

    def knows(person):
        whole = person.get(path).json
        (listed,) = (project for project in person.get("/projects").json if project["id"] == cast.public.id)
        assert whole["shared_with_groups"] == listed["shared_with_groups"]
        return hidden in [share["group_id"] for share in whole["shared_with_groups"]]

    assert [knows(who) for who in (cast.anonymous, cast.stranger, cast.developer)] == [False] * 3
    assert [knows(who) for who in (cast.master, cast.root, cast.owner)] == [True] * 3
    cast.master.post(f"/groups/{hidden}/members", user_id=cast.stranger.id, access_level=10)
    assert knows(cast.stranger)
    cast.master.delete(f"/groups/{hidden}")
    assert not knows(cast.root)


def test_a_share_that_expired_gives_nothing(cast, band):
    path = f"/projects/{cast.private.id}"
    share = cast.master.post(f"{path}/share", group_id=band, group_access=30, expires_at="2018-01-22")
    assert share.json["expires_at"] == "2018-01-22"
    assert cast.stranger.get(path).status == 404
    assert band not in [shared["group_id"] for shared in cast.master.get(path).json["shared_with_groups"]]
    assert cast.master.post(f"{path}/share", group_id=band, group_access=30).status == 201
    assert cast.stranger.get(path).status == 200


def test_a_project_is_not_shared_with_the_group_it_is_in(cast):
    for group in (cast.team.id, cast.company.id):
        answer = cast.root.post(f"/projects/{cast.private.id}/share", group_id=group, group_access=10)
        assert answer.status == 409


@pytest.mark.parametrize("group_id", ["x", "1.5"])
def test_a_group_id_must_be_a_known_number(cast, group_id):
    answer = cast.master.delete(f"/projects/{cast.private.id}/share/{group_id}")
    assert (answer.status, answer.json) == (400, {"error": "group_id is invalid"})
