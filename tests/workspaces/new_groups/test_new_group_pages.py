"""The form of a new group."""

import pytest

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@one_engine
def test_a_group_and_a_subgroup_are_created(browse, cast):
    owner = browse("owner")
    owner.open("/groups/new")
    sent = owner.send("/groups", name="Tools", path="tools", description="Small ones", visibility="internal")
    assert (sent.status, sent.headers["Location"]) == (303, "/tools")
    group = cast.owner.get("/groups/tools").json
    assert (group["visibility"], group["description"]) == ("internal", "Small ones")
    page = owner.open(f"/groups/new?parent_id={group['id']}")
    assert "It cannot show more than what it belongs to, which is internal." in page.text
    assert (
        owner.send("/groups", name="Below", path="below", parent_id=group["id"]).headers["Location"] == "/tools/below"
    )
    refused = owner.send("/groups", name="Below", path="below", parent_id=group["id"])
    assert refused.status == 422
    assert "New subgroup" in refused.text
    assert owner.field("name") == "Below"


@one_engine
def test_creating_a_group_requires_permission(browse, cast):
    cast.root.put(f"/users/{cast.stranger.id}", can_create_group=False)
    stranger = browse("stranger")
    assert stranger.open("/groups/new").status == 403
    assert stranger.open(f"/groups/new?parent_id={cast.guild.id}").status in (403, 404)
    assert browse("developer").open(f"/groups/new?parent_id={cast.team.id}").status == 403
    assert browse("anonymous").open("/groups/new").status == 302
    assert 'href="/groups/new"' not in stranger.open("/dashboard/groups").text
