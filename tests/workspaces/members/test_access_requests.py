import pytest

from tests.harness.creation import chain, make_group
from tests.workspaces.members.sources import at, both, people

MISSING = {"message": "404 Access Request Not Found"}


@both
def test_a_user_requests_access(cast, place):
    here = at(cast, place)
    answer = cast.stranger.post(f"{here}/access_requests")
    assert answer.status == 201
    assert answer.json == {
        "id": cast.stranger.id,
        "username": "stranger",
        "name": "Stranger",
        "state": "active",
        "avatar_url": None,
        "web_url": "http://mujina.test/stranger",
        "requested_at": answer.json["requested_at"],
    }
    assert cast.events()[-1] == "access_request.created"
    assert cast.anonymous.post(f"{here}/access_requests").status == 401


@both
def test_a_request_gives_no_access(cast, place):
    here = at(cast, place)
    cast.stranger.post(f"{here}/access_requests")
    assert people(cast.owner.get(f"{here}/members")) == ["owner"]
    assert cast.stranger.put(here, description="x").status == 403


@both
def test_members_cannot_request_access(cast, place):
    here = at(cast, place)
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=10)
    for who in (cast.guest, cast.owner):
        answer = who.post(f"{here}/access_requests")
        assert (answer.status, answer.json) == (403, {"message": "403 Forbidden"})


def test_inherited_access_is_access(cast):
    top, below = chain(cast.owner, "top", "below", request_access_enabled=True)
    cast.owner.post(f"/groups/{top['id']}/members", user_id=cast.guest.id, access_level=10)
    assert cast.guest.post(f"/groups/{below['id']}/access_requests").status == 403


@both
def test_access_cannot_be_requested_where_requests_are_disabled(cast, place):
    here = at(cast, place)
    cast.owner.put(here, request_access_enabled=False)
    assert cast.stranger.post(f"{here}/access_requests").status == 403


@both
def test_access_is_requested_once(cast, place):
    here = at(cast, place)
    cast.stranger.post(f"{here}/access_requests")
    answer = cast.stranger.post(f"{here}/access_requests")
    assert (answer.status, answer.json) == (400, {"message": {"user_id": ["already exists in source"]}})


def test_access_to_a_hidden_project_cannot_be_requested(cast):
    group = make_group(cast.owner, "hidden", request_access_enabled=True)
    assert cast.stranger.post(f"/groups/{group['id']}/access_requests").json == {"message": "404 Group Not Found"}


@both
def test_those_who_choose_members_see_the_requests(cast, place):
    here = at(cast, place)
    for who in (cast.guest, cast.stranger):
        who.post(f"{here}/access_requests")
    answer = cast.owner.get(f"{here}/access_requests")
    assert people(answer) == ["guest", "stranger"]
    assert answer.headers["X-Total"] == "2"
    assert cast.stranger.get(f"{here}/access_requests").status == 403
    assert cast.anonymous.get(f"{here}/access_requests").status == 401


@both
@pytest.mark.parametrize(("params", "level"), [({}, 30), ({"access_level": 20}, 20)])
def test_a_request_that_is_approved_becomes_a_membership(cast, place, params, level):
    here = at(cast, place)
    cast.stranger.post(f"{here}/access_requests")
    assert cast.stranger.put(f"{here}/access_requests/{cast.stranger.id}/approve").status == 403
    answer = cast.owner.ask("PUT", f"{here}/access_requests/{cast.stranger.id}/approve", params=params)
    assert (answer.status, answer.json["access_level"], answer.json["username"]) == (201, level, "stranger")
    assert cast.owner.get(f"{here}/access_requests").json == []
    assert people(cast.owner.get(f"{here}/members")) == ["owner", "stranger"]


@both
def test_only_a_request_is_approved_at_a_level_of_the_list(cast, place):
    here = at(cast, place)
    approve = f"{here}/access_requests/{cast.stranger.id}/approve"
    answer = cast.owner.put(approve)
    assert (answer.status, answer.json) == (404, MISSING)
    cast.stranger.post(f"{here}/access_requests")
    answer = cast.owner.put(approve, access_level=15)
    assert (answer.status, answer.json) == (400, {"message": {"access_level": ["is not included in the list"]}})


def test_the_membership_lock_forbids_approving_requests(cast):
    cast.owner.put(f"/projects/{cast.public.id}", request_access_enabled=True)
    cast.stranger.post(f"/projects/{cast.public.id}/access_requests")
    cast.owner.put(f"/groups/{cast.team.id}", membership_lock=True)
    answer = cast.owner.put(f"/projects/{cast.public.id}/access_requests/{cast.stranger.id}/approve")
    assert (answer.status, answer.json) == (405, {"message": "405 Method Not Allowed"})


@both
@pytest.mark.parametrize(("who", "status"), [("owner", 204), ("stranger", 204), ("guest", 403), ("anonymous", 401)])
def test_a_request_is_denied_or_withdrawn(cast, place, who, status):
    here = at(cast, place)
    cast.stranger.post(f"{here}/access_requests")
    assert getattr(cast, who).delete(f"{here}/access_requests/{cast.stranger.id}").status == status
    assert len(cast.owner.get(f"{here}/access_requests").json) == (0 if status == 204 else 1)


@both
def test_an_unknown_request_is_not_found(cast, place):
    here = at(cast, place)
    for who in (cast.owner, cast.stranger):
        assert who.delete(f"{here}/access_requests/{cast.stranger.id}").json == MISSING
