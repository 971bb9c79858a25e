"""Avatars of topics."""

import pytest

from tests.harness.client import Raw
from tests.workspaces.projects.test_avatar import at, with_avatar


@pytest.fixture
def sewing(cast):
    made = cast.root.post("/topics", raw=with_avatar(name="sewing", title="Sewing", description="Needles"))
    assert made.status == 201, made
    return made.json


def pictures(stage):
    folder = stage.folder / "files" / "avatars" / "topic"
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_an_avatar_is_set_replaced_and_removed(cast, stage):
    before = pictures(stage)
    made = cast.root.post("/topics", raw=with_avatar(name="sewing", title="Sewing")).json
    one, url = f"/topics/{made['id']}", made["avatar_url"]
    assert url == f"http://mujina.test/uploads/-/system/topic/avatar/{made['id']}/me.png"
    served = cast.anonymous.get(at(url))
    assert (served.status, served.headers["content-type"]) == (200, "image/png")
    assert cast.root.put(one, title="x").json["avatar_url"] == cast.anonymous.get(one).json["avatar_url"] == url
    assert cast.root.put(one, raw=with_avatar()).json["avatar_url"] == url
    assert len(pictures(stage) - before) == 1
    assert cast.root.put(one, avatar="").json["avatar_url"] is None
    assert (cast.anonymous.get(at(url)).status, pictures(stage)) == (404, before)


def test_a_topic_that_goes_takes_its_avatar_along(cast, stage, sewing):
    other = cast.root.post("/topics", raw=with_avatar(name="wool")).json
    before = pictures(stage)
    refused = cast.root.post("/topics/merge", source_topic_id=other["id"], target_topic_id=other["id"])
    assert (refused.status, pictures(stage)) == (400, before)
    merged = cast.root.post("/topics/merge", source_topic_id=other["id"], target_topic_id=sewing["id"])
    assert (merged.json["avatar_url"], len(before - pictures(stage))) == (sewing["avatar_url"], 1)
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.root.delete(f"/topics/{sewing['id']}", long_ago).status == 412
    assert cast.anonymous.get(at(sewing["avatar_url"])).status == 200
    assert cast.root.delete(f"/topics/{sewing['id']}").status == 204
    assert (cast.anonymous.get(at(sewing["avatar_url"])).status, len(before - pictures(stage))) == (404, 2)


def test_what_is_refused_stores_nothing(cast, stage, sewing):
    before = pictures(stage)
    no_image = Raw.multipart({"avatar": ("a.png", b"<svg onload=alert(1)>")}, title="changed")
    refused = cast.root.put(f"/topics/{sewing['id']}", raw=no_image)
    assert (refused.status, refused.json) == (400, {"message": {"avatar": ["only images allowed"]}})
    assert cast.root.post("/topics", raw=with_avatar(name="sewing")).status == 400
    assert cast.root.put("/topics/999999", raw=with_avatar()).status == 404
    assert cast.owner.put(f"/topics/{sewing['id']}", raw=with_avatar()).status == 403
    assert (cast.root.get(f"/topics/{sewing['id']}").json, pictures(stage)) == (sewing, before)


def test_pages_show_the_avatar(browse, cast, sewing):
    assert cast.owner.put(f"/projects/{cast.public.id}", topics="sewing,wool").status == 200
    path = sewing["avatar_url"].removeprefix("http://mujina.test")
    listed = browse("anonymous").open("/explore/projects/topics").text
    assert (f'src="{path}"' in listed, listed.count("/uploads/-/system/topic/")) == (True, 1)
    page = browse("anonymous").open("/explore/projects?topic=sewing").text
    assert (f'src="{path}"' in page, "Needles</p>" in page, "<h1>Projects about Sewing</h1>" in page) == (True,) * 3
    assert "/uploads/-/system/topic/" not in browse("anonymous").open("/explore/projects?topic=wool").text
