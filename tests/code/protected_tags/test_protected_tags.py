"""Protected tags: who manages them, and that they hold for tags, releases and deletions."""

import pytest


@pytest.fixture
def here(cast):
    made = cast.owner.post(
        f"/projects/{cast.private.id}/repository/commits", branch="master", commit_message="First",
        actions=[{"action": "create", "file_path": "README.md", "content": "x"}],
    )  # fmt: skip
    assert made.status == 201, made
    return f"/projects/{cast.private.id}"


def tag(person, here, name):
    made = person.post(f"{here}/repository/tags", tag_name=name, ref="master")
    return made.status, made.json.get("message") if made.status >= 400 else made.json["protected"]


def test_masters_protect_tags(cast, here):
    tags = f"{here}/protected_tags"
    made = cast.master.post(tags, name="v*")
    assert made.status == 201, made
    [level] = made.json["create_access_levels"]
    assert (made.json["name"], level["access_level"], level["access_level_description"]) == ("v*", 40, "Masters")
    assert level.keys() == {"id", "access_level", "access_level_description", "user_id", "group_id"}
    again = cast.master.post(tags, name="v*")
    assert (again.status, again.json) == (422, {"message": ["Name has already been taken"]})
    assert cast.master.get(tags).json == [made.json]
    assert cast.master.get(f"{tags}/v%2A").json == made.json
    assert cast.developer.get(tags).status == 403
    assert cast.developer.delete(f"{tags}/v%2A").status == 403
    assert cast.master.delete(f"{tags}/v%2A").status == 204
    assert cast.master.get(f"{tags}/v%2A").json == {"message": "404 Protected Tag Not Found"}
    assert cast.master.post(tags, name="").status == 400


def test_only_grantees_create_protected_tags(cast, here):
    assert tag(cast.developer, here, "v0") == (201, False)
    cast.master.post(f"{here}/protected_tags", name="v*")
    refused = "You are not allowed to create this tag as it is protected."
    assert tag(cast.developer, here, "v1") == (400, refused)
    assert tag(cast.developer, here, "other") == (201, False)
    assert tag(cast.master, here, "v1") == (201, True)
    assert cast.reporter.get(f"{here}/repository/tags/v0").json["protected"] is True


def test_single_users_may_create_protected_tags(cast, here):
    allowed = [{"user_id": cast.developer.id}]
    made = cast.master.post(f"{here}/protected_tags", name="v1", allowed_to_create=allowed)
    assert [level["user_id"] for level in made.json["create_access_levels"]] == [cast.developer.id]
    assert tag(cast.developer, here, "v1") == (201, True)
    assert cast.master.post(f"{here}/protected_tags", name="v2", create_access_level=0).status == 201
    assert tag(cast.master, here, "v2")[0] == 400


def test_a_release_does_not_evade_the_protection(browse, cast, here):
    cast.master.post(f"{here}/protected_tags", name="v*")
    refused = cast.developer.post(f"{here}/releases", tag_name="v1", ref="master")
    assert (refused.status, cast.reporter.get(f"{here}/repository/tags").json) == (403, [])
    developer, page = browse("developer"), f"/{cast.private.path}"
    developer.open(f"{page}/tags/new")
    assert developer.send(f"{page}/tags", tag_name="v1", ref="master").status == 422
    assert cast.master.post(f"{here}/releases", tag_name="v1", ref="master").status == 201


def test_only_masters_delete_protected_tags(cast, here):
    tag(cast.master, here, "v1")
    cast.master.post(f"{here}/protected_tags", name="v1", create_access_level=30)
    assert cast.developer.delete(f"{here}/repository/tags/v1").status == 400
    assert cast.master.delete(f"{here}/repository/tags/v1").status == 204
