"""The pages of members: who sees what, and what the forms do."""

import pytest

from tests.harness.creation import make_group

ADDRESS = "stranger@example.org"


@pytest.fixture(params=["project", "group"])
def kind(request):
    return request.param


@pytest.fixture
def place(cast, kind):
    return f"/{cast.private.path}/project_members" if kind == "project" else f"/groups/{cast.team.path}/-/group_members"


@pytest.fixture
def api(cast, kind):
    return f"/projects/{cast.private.id}/members" if kind == "project" else f"/groups/{cast.team.id}/members"


def test_members_are_added_by_name_or_address(browse, cast, place, api):
    owner = browse("owner")
    assert "Inherited from" in owner.open(place).text
    refused = owner.send(place, user="nobody-here", access_level=20)
    shown = [words in refused.text for words in ("does not exist", 'value="nobody-here"')]
    assert (refused.status, shown) == (422, [True, True])
    assert owner.send(place, user="", access_level=20).status == 422
    assert owner.send(place, user=f"{ADDRESS}@", access_level=20).status == 422
    assert owner.send(place, user="@stranger", access_level=20, expires_at="2999-01-01").status == 303
    assert owner.send(place, user="stranger", access_level=20).status == 409
    found = cast.owner.get(f"{api}/{cast.stranger.id}").json
    assert (found["access_level"], found["expires_at"]) == (20, "2999-01-01")
    cast.owner.delete(f"{api}/{cast.stranger.id}")
    assert owner.send(place, user=ADDRESS.upper(), access_level=20).status == 303


@pytest.fixture
def joined(cast, api):
    assert cast.owner.post(api, user_id=cast.stranger.id, access_level=20, expires_at="2999-01-01").status == 201


@pytest.mark.usefixtures("joined")
def test_members_are_edited(browse, cast, place, api):
    owner, stranger = browse("owner"), browse("stranger")
    owner.open(place)
    assert owner.send(f"{place}/{cast.stranger.id}", access_level=30, expires_at="").status == 303
    found = cast.owner.get(f"{api}/{cast.stranger.id}").json
    assert (found["access_level"], found["expires_at"]) == (30, None)
    assert owner.send(f"{place}/{cast.stranger.id}", access_level=35).status == 422
    stranger.open(place)
    assert stranger.send(f"{place}/{cast.stranger.id}", access_level=40).status == 403


@pytest.mark.usefixtures("joined")
def test_only_owners_search_members_by_address(browse, place):
    owner, stranger, nothing = browse("owner"), browse("stranger"), "No members match your search."
    assert "stranger" in owner.open(place, search="stranger").text
    assert nothing in owner.open(place, search="qxqnobody").text
    page = stranger.open(place).text
    assert [words in page for words in ("Leave", "Invite", "example.org")] == [True, False, False]
    assert nothing in stranger.open(place, search=ADDRESS).text
    assert nothing not in owner.open(place, search=ADDRESS).text
    assert browse("anonymous").open(place).status == 302


@pytest.mark.usefixtures("joined")
def test_members_leave(browse, cast, kind, place, api):
    owner, stranger = browse("owner"), browse("stranger")
    stranger.open(place)
    assert stranger.send(f"{place}/leave").status == 303
    assert cast.owner.get(f"{api}/{cast.stranger.id}").status == 404
    owner.open(place)
    assert owner.send(f"{place}/{cast.stranger.id}/delete").status == 404
    if kind == "group":
        assert "A group needs an owner" in owner.send(f"{place}/leave").text


def test_access_is_requested_and_granted(browse, cast):
    cast.owner.put(f"/projects/{cast.public.id}", request_access_enabled=True)
    place = f"/{cast.public.path}/project_members"
    stranger, owner = browse("stranger"), browse("owner")
    assert "Request access" in stranger.open(place).text
    assert stranger.send(f"{place}/request_access").status == 303
    assert "Withdraw access request" in stranger.open(place).text
    assert stranger.send(f"{place}/requests/{cast.stranger.id}/delete").status == 303
    stranger.send(f"{place}/request_access")
    assert stranger.send(f"{place}/requests/{cast.stranger.id}/approve").status == 403
    assert "Access requests" in owner.open(place).text
    assert owner.send(f"{place}/requests/{cast.stranger.id}/approve", access_level=20).status == 303
    assert cast.owner.get(f"/projects/{cast.public.id}/members/{cast.stranger.id}").json["access_level"] == 20


def test_a_locked_membership_is_explained_to_those_who_would_add_members(browse, cast):
    place = f"/{cast.private.path}/project_members"
    cast.owner.put(f"/groups/{cast.team.id}", membership_lock=True)
    owner = browse("owner")
    owner.open(place)
    refused = owner.send(place, user="stranger", access_level=20)
    # The notice of the page says something similar: what was refused stands in the list of problems.
    assert refused.status == 422
    assert "<li>A group above has locked the membership of its projects.</li>" in refused.text


def test_a_project_is_shared_with_a_group(browse, cast):
    place = f"/{cast.private.path}"
    band = make_group(cast.owner, "band", name="Band", visibility="private")
    cast.owner.post(f"/groups/{band['id']}/members", user_id=cast.stranger.id, access_level=30)
    owner, guest = browse("owner"), browse("guest")
    owner.open(f"{place}/project_members")
    assert owner.send(f"{place}/group_links", group="no/such", group_access=20).status == 422
    assert (
        owner.send(f"{place}/group_links", group="band", group_access=20, share_expires_at="2999-01-01").status == 303
    )
    assert "Band" in owner.open(f"{place}/project_members").text
    # Who has access through a group that the reader may not see is shown without its name.
    page = guest.open(f"{place}/project_members").text
    assert ("Through a shared group" in page, "Band" in page) == (True, False)
    assert owner.send(f"{place}/group_links/{band['id']}/delete").status == 303
    assert "Band" not in owner.open(f"{place}/project_members").text


def test_a_locked_group_takes_no_members_into_its_projects(browse, cast):
    cast.owner.put(f"/groups/{cast.team.id}", membership_lock=True)
    page = browse("owner").open(f"/{cast.private.path}/project_members").text
    assert ("has locked the members" in page, 'name="user"' in page) == (True, False)
