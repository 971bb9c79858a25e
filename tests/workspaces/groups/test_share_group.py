import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_group, make_project

AT = "POST /groups/{team.id}/share"
VALID = {"group_id": 1, "group_access": 30}


@pytest.fixture
def world(cast):
    """A private group with a subgroup and a project there; and a group in which the stranger is a developer."""
    shared = make_group(cast.owner, "common", visibility="private")
    below = make_group(cast.owner, "below", visibility="private", parent_id=shared["id"])
    project = make_project(cast.owner, "thing", namespace_id=below["id"], visibility="private")
    band = make_group(cast.owner, "band", name="Band", visibility="private")
    cast.owner.post(f"/groups/{band['id']}/members", user_id=cast.stranger.id, access_level=30)
    return shared["id"], below["id"], project["id"], band["id"]


@cases(
    [
        Case("anonymous", AT, 401, params=VALID),
        Case("master", AT, 403, {"message": "403 Forbidden"}, VALID),
        Case("owner", AT, 404, {"message": "404 Group Not Found"}, {"group_id": 999999, "group_access": 10}),
        Case("owner", AT, 400, {"error": "group_access does not have a valid value"}, {**VALID, "group_access": 15}),
        Case("owner", AT, 400, Has(error="group_id is missing, group_access is missing")),
        Case("owner", "DELETE /groups/{team.id}/share/999999", 404, {"message": "404 Group Link Not Found"}),
        Case("master", "DELETE /groups/{team.id}/share/999999", 403),
    ]
)
def test_owners_share_with_groups_they_see(case, cast):
    case.holds(cast)


def levels(cast, group, project, user):
    """The level in the group and in the project, as each list of all members says it."""
    found = [cast.owner.get(f"{at}/members/all/{user.id}") for at in (f"/groups/{group}", f"/projects/{project}")]
    return [answer.json.get("access_level") for answer in found]


def test_members_of_the_group_get_into_everything_below_up_to_the_cap(cast, world):
    shared, below, project, band = world
    answer = cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=20)
    assert answer.status == 201
    assert (answer.json["id"], answer.json["shared_with_groups"]) == (
        shared,
        [
            {
                "group_id": band,
                "group_name": "Band",
                "group_full_path": "band",
                "group_access_level": 20,
                "expires_at": None,
            }
        ],
    )
    assert levels(cast, below, project, cast.stranger) == [20, 20]
    assert [cast.stranger.get(at).status for at in (f"/groups/{shared}", f"/groups/{below}")] == [200, 200]
    assert cast.stranger.get(f"/projects/{project}").status == 200
    assert project in [each["id"] for each in cast.stranger.get("/projects", membership=True).json]
    assert {shared, below} <= {each["id"] for each in cast.stranger.get("/groups").json}
    assert cast.stranger.post(f"/projects/{project}/labels", name="l", color="#aabbcc").status == 201
    assert cast.stranger.post(f"/projects/{project}/milestones", title="m").status == 403
    again = cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=20)
    assert (again.status, again.json) == (409, {"message": "Group already shared with this group"})
    assert cast.owner.delete(f"/groups/{shared}/share/{band}").status == 204
    assert cast.owner.get(f"/groups/{shared}").json["shared_with_groups"] == []
    assert [cast.stranger.get(at).status for at in (f"/groups/{shared}", f"/projects/{project}")] == [404, 404]


def test_a_member_has_no_more_than_in_their_own_group(cast, world):
    shared, below, project, band = world
    assert cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=50).status == 201
    assert levels(cast, below, project, cast.stranger) == [30, 30]
    cast.owner.put(f"/groups/{band}/members/{cast.stranger.id}", access_level=50)
    assert cast.stranger.put(f"/groups/{below}", description="mine").status == 200
    # Owners of the group through a share choose its members, and end the share that they have it by.
    assert cast.stranger.delete(f"/groups/{shared}/share/{band}").status == 204
    assert cast.stranger.get(f"/groups/{shared}").status == 404


def test_groups_that_are_shared_with_each_other_pass_nothing_on(cast, world):
    shared, _, _, band = world
    third = make_group(cast.owner, "third", visibility="private")["id"]
    for one, other in ((shared, band), (band, shared), (third, shared)):
        assert cast.owner.post(f"/groups/{one}/share", group_id=other, group_access=30).status == 201
    assert cast.stranger.get(f"/groups/{shared}").status == 200
    # The stranger is no member of the group that `third` is shared with: a share takes one step.
    assert cast.stranger.get(f"/groups/{third}").status == 404


def test_a_share_that_expired_gives_nothing_and_is_deleted(cast, world):
    shared, _, project, band = world
    answer = cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30, expires_at="2018-01-22")
    assert (answer.status, answer.json["shared_with_groups"]) == (201, [])
    assert cast.stranger.get(f"/projects/{project}").status == 404
    assert cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30, expires_at="2999-01-01").json[
        "shared_with_groups"
    ][0]["expires_at"] == ("2999-01-01")
    assert cast.stranger.get(f"/projects/{project}").status == 200


def test_a_group_is_not_shared_with_itself_or_a_group_above(cast, world):
    shared, below, _, _ = world
    for group in (below, shared):
        answer = cast.owner.post(f"/groups/{below}/share", group_id=group, group_access=10)
        assert (answer.status, answer.json) == (
            409,
            {"message": "Group cannot be shared with itself or one of its ancestors."},
        )
    # With one below it is: its members get into what is above.
    assert cast.owner.post(f"/groups/{shared}/share", group_id=below, group_access=10).status == 201


def test_a_lock_refuses_new_shares_and_suspends_old_ones(cast, world):
    shared, _, project, band = world
    cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30)
    cast.owner.put(f"/groups/{shared}", share_with_group_lock=True)
    assert cast.stranger.get(f"/projects/{project}").status == 404
    assert cast.stranger.get(f"/groups/{shared}").status == 404
    another = make_group(cast.owner, "another")["id"]
    refused = cast.owner.post(f"/groups/{shared}/share", group_id=another, group_access=30)
    assert (refused.status, "sharing with group is disabled" in refused.json["message"]) == (400, True)
    cast.owner.put(f"/groups/{shared}", share_with_group_lock=False)
    assert cast.stranger.get(f"/projects/{project}").status == 200


def test_a_hidden_group_is_named_only_to_those_who_see_it_or_may_end_the_share(cast, world):
    _, _, _, band = world
    club = make_group(cast.owner, "club", visibility="public")["id"]
    cast.owner.post(f"/groups/{club}/share", group_id=band, group_access=10)

    def knows(person):
        return bool(person.get(f"/groups/{club}").json["shared_with_groups"])

    assert [knows(who) for who in (cast.anonymous, cast.guest)] == [False, False]
    assert [knows(who) for who in (cast.stranger, cast.owner, cast.root)] == [True, True, True]


@pytest.mark.parametrize("how", ["deleted", "moved", "left"])
def test_access_through_the_share_ends_with_its_cause(cast, world, how):
    shared, _, project, band = world
    above = make_group(cast.owner, "above", visibility="private")["id"]
    if how == "moved":
        cast.owner.delete(f"/groups/{band}/members/{cast.stranger.id}")
        assert cast.owner.post(f"/groups/{band}/transfer", group_id=above).status == 201
        cast.owner.post(f"/groups/{above}/members", user_id=cast.stranger.id, access_level=30)
    cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30)
    assert cast.stranger.get(f"/projects/{project}").status == 200
    if how == "deleted":
        assert cast.owner.delete(f"/groups/{band}").status == 204
        assert cast.value("SELECT count(*) FROM group_shares") == 0
    elif how == "moved":
        assert cast.owner.post(f"/groups/{band}/transfer").status == 201
    else:
        assert cast.stranger.delete(f"/groups/{band}/members/{cast.stranger.id}").status == 204
    assert cast.stranger.get(f"/projects/{project}").status == 404


def test_a_share_with_a_group_that_comes_to_be_above_ends(cast, world):
    shared, _, _, band = world
    cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30)
    assert cast.owner.post(f"/groups/{shared}/transfer", group_id=band).status == 201
    assert cast.owner.get(f"/groups/{shared}").json["shared_with_groups"] == []


def test_a_deleted_group_takes_its_shares_along(cast, world):
    shared, _, _, band = world
    cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30)
    assert cast.owner.delete(f"/groups/{shared}").status == 204
    assert shared not in [each["id"] for each in cast.stranger.get("/groups").json]
    assert cast.value("SELECT count(*) FROM group_shares") == 0


def test_an_invited_group_may_be_named_by_a_protected_branch(cast, world):
    shared, _, project, band = world
    grant = {"name": "stable", "allowed_to_push": [{"group_id": band}]}
    assert cast.owner.post(f"/projects/{project}/protected_branches", **grant).status == 400
    cast.owner.post(f"/groups/{shared}/share", group_id=band, group_access=30)
    assert cast.owner.post(f"/projects/{project}/protected_branches", **grant).status == 201


def test_the_page_of_members_shares_a_group(browse, cast, world):
    band = world[3]
    owner, stranger = browse("owner"), browse("stranger")
    at, links = "/groups/common/-/group_members", "/groups/common/-/group_links"
    owner.open(at)
    assert owner.send(links, group="no/such", group_access=20).status == 422
    assert owner.send(links, group="band", group_access=20, share_expires_at="2999-01-01").status == 303
    page = owner.open(at).text
    assert all(text in page for text in ("Shared with", "Band", "at most the role Reporter"))
    assert stranger.open(at).status == 200
    assert stranger.send(f"{links}/{band}/delete").status == 403
    assert owner.send(f"{links}/{band}/delete").status == 303
    assert "Shared with" not in owner.open(at).text
