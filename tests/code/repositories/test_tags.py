import pygit2
import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.harness.browsers import browser_of


def test_tags_light_and_annotated(cast, code):
    light = cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master").json
    assert (light["message"], light["release"], light["target"]) == (None, None, code.first)
    blank = cast.owner.post(f"{code.at}/tags", tag_name="v0", ref="master", message=" \n").json
    assert (blank["message"], blank["target"]) == (None, code.first)
    heavy = cast.owner.post(
        f"{code.at}/tags", tag_name="v2", ref="master", message="Two", release_description="Notes"
    ).json
    assert (heavy["message"], heavy["release"]) == ("Two", {"tag_name": "v2", "description": "Notes"})
    assert heavy["target"] != heavy["commit"]["id"] == code.first
    assert [tag["name"] for tag in cast.owner.get(f"{code.at}/tags", order_by="name", sort="asc").json] == [
        "v0",
        "v1",
        "v2",
    ]
    assert cast.owner.get(f"{code.at}/tags/v2").json == heavy
    assert cast.owner.delete(f"{code.at}/tags/v2").status == 204
    assert cast.owner.get(f"{code.at}/tags/v2").json == {"message": "404 Tag Not Found"}


def test_a_tag_that_cannot_be_is_refused(cast, code):
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master")

    def complaint(**said):
        answer = cast.owner.post(f"{code.at}/tags", **said)
        assert answer.status == 400
        return answer.json["message"]

    assert complaint(tag_name="v1", ref="master") == "Tag v1 already exists"
    assert complaint(tag_name="v2", ref="foo") == "Target foo is invalid"
    assert complaint(tag_name="v 2", ref="master") == complaint(tag_name="v1/rc", ref="master") == "Tag name invalid"


@pytest.mark.parametrize("kind", ["tree", "blob"])
def test_a_tag_of_no_commit_is_taken_and_can_be_deleted(cast, code, stage, client, kind):
    repository = pygit2.Repository(str(RepositoryStorage.of(stage.folder).repo_path(code.project["id"])))
    tree = repository[code.first].peel(pygit2.Tree)
    for name in ("odd", "page"):  # as a push leaves them
        repository.references.create(f"refs/tags/{name}", tree.id if kind == "tree" else tree["README"].id)
    made = cast.owner.post(f"{code.at}/tags", tag_name="odd", ref="master")
    assert (made.status, made.json) == (400, {"message": "Tag odd already exists"})
    cast.owner.post(f"{code.path}/members", user_id=cast.guest.id, access_level=20)
    assert cast.guest.delete(f"{code.at}/tags/odd").status == 403
    assert [cast.owner.delete(f"{code.at}/tags/odd").status for _ in range(2)] == [204, 404]
    assert cast.owner.post(f"{code.at}/tags", tag_name="odd", ref="master").status == 201
    browser = browser_of(cast.owner, cast.database, client)
    browser.open(f"/{code.project['path_with_namespace']}/tags")
    assert browser.send(f"/{code.project['path_with_namespace']}/tags/page/delete").status == 303
    assert "refs/tags/page" not in repository.references


def test_a_release_is_written_once_and_then_anew(cast, code):
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master")
    at = f"{code.at}/tags/v1/release"
    assert cast.owner.put(at, description="x").json == {"message": "404 Release Not Found"}
    assert cast.owner.post(at, description="x").json == {"tag_name": "v1", "description": "x"}
    assert cast.owner.post(at, description="y").json == {"message": "Release already exists"}
    assert cast.owner.put(at, description="y").json == {"tag_name": "v1", "description": "y"}
    assert cast.owner.get(f"{code.at}/tags/v1").json["release"]["description"] == "y"
    assert cast.owner.post(f"{code.at}/tags/none/release", description="x").status == 404
    assert cast.owner.put(at, description=" ").json == {"message": {"description": ["can't be blank"]}}


def test_tags_are_found_by_the_ends_of_their_names_and_sorted_as_versions(cast, code):
    for name in ("v1.10.0", "v1.9.0", "v1.9.0-rc1", "v1.9.0-rc10", "v1.9.0-rc2", "other"):
        cast.owner.post(f"{code.at}/tags", tag_name=name, ref="master")

    def found(**query):
        return [tag["name"] for tag in cast.owner.get(f"{code.at}/tags", sort="asc", **query).json]

    assert found(order_by="version", search="^V1") == [
        "v1.9.0-rc1", "v1.9.0-rc2", "v1.9.0-rc10", "v1.9.0", "v1.10.0",
    ]  # fmt: skip
    assert found(order_by="name", search=".0$") == ["v1.10.0", "v1.9.0"]
    assert found(search="^other$") == ["other"]
    assert found(search="^ther") == []
