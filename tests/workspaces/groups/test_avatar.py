"""Avatars of groups."""

from tests.harness.client import Raw
from tests.harness.creation import make_group
from tests.workspaces.projects.test_avatar import at, with_avatar


def test_an_avatar_is_set_replaced_and_removed(cast):
    made = cast.owner.post("/groups", raw=with_avatar(name="Pictured", path="pictured")).json
    url = made["avatar_url"]
    assert url == f"http://mujina.test/uploads/-/system/group/avatar/{made['id']}/me.png"
    served = cast.owner.get(at(url))
    assert (served.status, served.headers["content-type"]) == (200, "image/png")
    assert cast.owner.put(f"/groups/{made['id']}", description="x").json["avatar_url"] == url
    assert cast.owner.put(f"/groups/{made['id']}", raw=with_avatar()).json["avatar_url"] == url
    assert cast.owner.put(f"/groups/{made['id']}", avatar="").json["avatar_url"] is None
    assert cast.owner.get(at(url)).status == 404


def test_only_readers_of_the_group_see_its_avatar(cast):
    hidden = make_group(cast.owner, "hidden")["id"]
    for group, strangers in ((hidden, 404), (cast.team.id, 200)):
        url = cast.owner.put(f"/groups/{group}", raw=with_avatar()).json["avatar_url"]
        assert cast.owner.get(at(url)).status == 200
        assert cast.stranger.get(at(url)).status == cast.anonymous.get(at(url)).status == strangers
    listed = cast.owner.get("/groups", search="hidden").json
    assert listed[0]["avatar_url"].endswith("/me.png")
    assert cast.owner.delete(f"/groups/{hidden}").status == 204


def test_a_file_that_is_no_image_is_rejected_and_nothing_changes(cast):
    no_image = Raw.multipart({"avatar": ("a.png", b"<svg onload=alert(1)>")}, description="changed")
    refused = cast.owner.put(f"/groups/{cast.team.id}", raw=no_image)
    assert (refused.status, refused.json) == (400, {"message": {"avatar": ["only images allowed"]}})
    assert cast.owner.get(f"/groups/{cast.team.id}").json["description"] == ""
    assert cast.guest.put(f"/groups/{cast.team.id}", raw=with_avatar()).status == 403
