from tests.accounts.users.test_avatar import picture
from tests.harness.client import Raw


def with_avatar(**params):
    return Raw.multipart({"avatar": ("me.png", picture())}, **params)


def at(url):
    return url.replace("http://mujina.test", "/")


def test_an_avatar_is_set_and_removed(cast):
    made = cast.owner.post("/projects", raw=with_avatar(name="pictured")).json
    url = made["avatar_url"]
    assert url == f"http://mujina.test/uploads/-/system/project/avatar/{made['id']}/me.png"
    served = cast.owner.get(at(url))
    assert (served.status, served.headers["content-type"]) == (200, "image/png")
    assert cast.owner.put(f"/projects/{made['id']}", avatar="").json["avatar_url"] is None
    assert cast.owner.get(at(url)).status == 404


def test_only_readers_of_the_project_see_its_avatar(cast):
    for project, strangers in ((cast.private, 404), (cast.public, 200)):
        changed = cast.master.put(f"/projects/{project.id}", raw=with_avatar())
        assert changed.status == 200, changed
        assert cast.guest.get(at(changed.json["avatar_url"])).status == 200
        assert cast.stranger.get(at(changed.json["avatar_url"])).status == strangers
        assert cast.anonymous.get(at(changed.json["avatar_url"])).status == strangers


def test_a_file_that_is_no_image_is_rejected(cast):
    refused = cast.owner.put(
        f"/projects/{cast.private.id}", raw=Raw.multipart({"avatar": ("a.png", b"<svg onload=alert(1)>")})
    )
    assert (refused.status, refused.json) == (400, {"message": {"avatar": ["only images allowed"]}})
    assert cast.guest.put(f"/projects/{cast.private.id}", raw=with_avatar()).status == 403


def test_a_fork_has_a_picture_of_its_own(cast, clean):
    cast.master.put(f"/projects/{cast.public.id}", raw=with_avatar())
    fork = cast.stranger.post(f"/projects/{cast.public.id}/fork").json["id"]
    url = cast.stranger.get(f"/projects/{fork}").json["avatar_url"]
    assert cast.stranger.get(at(url)).status == 200
    cast.master.put(f"/projects/{cast.public.id}", avatar="")
    assert cast.stranger.get(at(url)).status == 200
