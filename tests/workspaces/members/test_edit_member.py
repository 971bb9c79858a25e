import pytest

from tests.harness.creation import chain
from tests.workspaces.members.sources import at, both


@pytest.mark.parametrize(
    ("who", "status"), [("owner", 200), ("root", 200), ("guest", 403), ("stranger", 403), ("anonymous", 401)]
)
@both
def test_those_who_choose_members_change_their_level(cast, place, who, status):
    here = at(cast, place)
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=10)
    seen = len(cast.events())
    answer = getattr(cast, who).put(f"{here}/members/{cast.guest.id}", access_level=40)
    assert answer.status == status
    assert cast.events()[seen:] == (["member.updated"] if status == 200 else [])
    expected = 40 if status == 200 else 10
    assert cast.owner.get(f"{here}/members/{cast.guest.id}").json["access_level"] == expected


@both
def test_the_expiration_date_stays_unless_it_is_sent(cast, place):
    here = at(cast, place)
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=10, expires_at="2999-01-01")
    member = f"{here}/members/{cast.guest.id}"
    assert cast.owner.put(member, access_level=20).json["expires_at"] == "2999-01-01"
    assert cast.owner.put(member, access_level=20, expires_at="2999-02-02").json["expires_at"] == "2999-02-02"
    assert cast.owner.put(member, access_level=20, expires_at=None).json["expires_at"] == "2999-02-02"
    assert cast.owner.put(member, access_level=20, expires_at="").json["expires_at"] is None


@both
def test_a_user_without_direct_membership_is_not_found(cast, place):
    here = at(cast, place)
    answer = cast.owner.put(f"{here}/members/{cast.guest.id}", access_level=20)
    assert (answer.status, answer.json) == (404, {"message": "404 Member Not Found"})


@both
def test_the_access_level_is_required_and_must_be_a_known_one(cast, place):
    here = at(cast, place)
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=10)
    member = f"{here}/members/{cast.guest.id}"
    assert cast.owner.put(member, access_level=11).json == {
        "message": {"access_level": ["is not included in the list"]}
    }
    assert cast.owner.put(member).json["message"] == '400 (Bad request) "access_level" not given'


def test_the_last_owner_of_a_group_stays_its_owner(cast):
    here = at(cast, "groups")
    for who in (cast.owner, cast.root):
        for end in (
            {"access_level": 40},
            *({"access_level": 50, "expires_at": f"{year}-01-01"} for year in (2018, 2999)),
        ):
            answer = who.put(f"{here}/members/{cast.owner.id}", **end)
            assert (answer.status, answer.json) == (403, {"message": "403 Forbidden - A group needs an owner"})
    assert cast.owner.put(f"{here}/members/{cast.owner.id}", access_level=50).status == 200
    # An owner whose access ends some day does not count either.
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=50, expires_at="2999-01-01")
    assert cast.owner.put(f"{here}/members/{cast.owner.id}", access_level=40).status == 403
    assert cast.owner.delete(f"{here}/members/{cast.owner.id}").status == 403
    assert cast.owner.put(f"{here}/members/{cast.guest.id}", access_level=50, expires_at="2999-02-01").status == 200
    assert cast.owner.put(f"{here}/members/{cast.guest.id}", access_level=50, expires_at="").status == 200
    assert cast.owner.put(f"{here}/members/{cast.owner.id}", access_level=40).status == 200


def test_an_owner_above_does_not_make_a_group_owned(cast):
    top, below = chain(cast.owner, "top", "below")
    cast.owner.post(f"/groups/{top['id']}/members", user_id=cast.guest.id, access_level=50)
    assert cast.guest.put(f"/groups/{below['id']}/members/{cast.owner.id}", access_level=10).status == 403


def test_the_owner_of_a_personal_project_keeps_their_level(cast):
    here = at(cast, "projects")
    for change in ({"access_level": 10}, {"access_level": 40, "expires_at": "2999-01-01"}):
        assert cast.owner.put(f"{here}/members/{cast.owner.id}", **change).status == 403
