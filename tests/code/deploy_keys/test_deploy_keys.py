import asyncio

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mujina.accounts.keys.public_keys import parse
from mujina.code.deploy_keys.rules import find_deploy_key_projects
from tests.harness.cases import Case, cases
from tests.harness.client import Raw
from tests.harness.creation import make_group, make_project


def new_key():
    public = Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


@pytest.fixture
def path(cast):
    return f"/projects/{cast.private.id}/deploy_keys"


LIST = "GET /projects/{private.id}/deploy_keys"


@cases(
    [
        Case("anonymous", LIST, 401),
        Case("stranger", LIST, 404),
        Case("developer", LIST, 403),
        Case("master", LIST, 200, []),
        Case("master", "GET /deploy_keys", 403),
        Case("root", "GET /deploy_keys", 200, []),
    ]
)
def test_masters_list_keys_of_their_project_and_administrators_all(case, cast):
    case.holds(cast)


def test_a_key_is_added_shown_changed_and_removed(cast, path):
    line = new_key()
    made = cast.master.post(path, title="server", key=f"{line} me@home", can_push=True)
    assert made.status == 201
    assert made.json | {"id": 0, "created_at": ""} == {
        "id": 0, "title": "server", "key": f"{line} me@home", "created_at": "", "can_push": True,
    }  # fmt: skip
    one = f"{path}/{made.json['id']}"
    assert cast.master.get(one).json == made.json
    assert cast.master.get(path).json == cast.root.get("/deploy_keys").json == [made.json]
    changed = cast.master.put(one, title="other", can_push=False).json
    assert (changed["title"], changed["can_push"]) == ("other", False)
    assert cast.master.put(one, title="").json == {"message": {"title": ["can't be blank"]}}
    assert cast.developer.delete(one).status == 403
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.master.delete(one, long_ago).status == 412
    assert cast.master.delete(one).status == 204
    assert cast.master.delete(one).json == {"message": "404 Deploy Key Not Found"}
    assert cast.root.get("/deploy_keys").json == []


def test_a_key_of_a_project_expires(cast, path):
    line = new_key()
    made = cast.master.post(path, title="server", key=line, expires_at="2999-01-01T12:00:00Z")
    assert (made.status, made.json["expires_at"]) == (201, "2999-01-01T12:00:00.000Z")
    assert cast.master.get(path).json == cast.root.get("/deploy_keys").json == [made.json]
    past = cast.master.post(path, title="late", key=new_key(), expires_at="2001-01-01")
    assert (past.status, past.json) == (400, {"message": {"expires_at": ["must be in the future"]}})

    def opens():
        return cast.transact(lambda tx: find_deploy_key_projects(tx, parse(line).sha256)) != []

    assert opens()
    cast.run("UPDATE ssh_keys SET expires_at = '2001-01-01T00:00:00.000Z'")
    assert not opens()
    assert [key["id"] for key in cast.master.get(path).json] == [made.json["id"]]


def test_invalid_keys_and_keys_of_users_are_refused(cast, path):
    assert cast.master.post(path, title="x", key="nonsense").status == 400
    mine = new_key()
    cast.stranger.post("/user/keys", title="mine", key=mine)
    assert cast.master.post(path, title="x", key=mine).json == {"message": {"fingerprint": ["has already been taken"]}}


def test_a_key_serves_several_projects_of_those_who_administer_one(cast, path):
    line = new_key()
    key = cast.master.post(path, title="server", key=line).json["id"]
    other = f"/projects/{cast.public.id}/deploy_keys"
    enabled = cast.master.post(f"{other}/{key}/enable")
    assert (enabled.status, enabled.json["id"], enabled.json["can_push"]) == (201, key, False)
    assert cast.master.post(path, title="again", key=line).json["id"] == key
    mine = make_project(cast.stranger, "mine")["id"]
    refused = cast.stranger.post(f"/projects/{mine}/deploy_keys/{key}/enable")
    assert (refused.status, refused.json) == (404, {"message": "404 Deploy Key Not Found"})
    assert cast.stranger.post(f"/projects/{mine}/deploy_keys", title="x", key=line).status == 400
    assert cast.master.delete(f"{path}/{key}").status == 204
    assert [each["id"] for each in cast.master.get(other).json] == [key]
    assert cast.owner.delete(f"/projects/{cast.public.id}").status == 204
    assert cast.root.get("/deploy_keys").json == []


def test_the_print_of_a_key_says_what_it_opens(cast, path):
    line = new_key()
    cast.master.post(path, title="server", key=line, can_push=True)
    found = cast.transact(lambda tx: find_deploy_key_projects(tx, f"SHA256:{parse(line).sha256}"))
    assert [(each.project_id, each.can_push) for each in found] == [(cast.private.id, True)]


def delete_group(cast, group):
    return cast.root.delete(f"/groups/{group['id']}")


def delete_project(cast, group):
    project = cast.owner.get(f"/groups/{group['id']}/projects").json[0]
    return cast.owner.delete(f"/projects/{project['id']}")


@pytest.mark.parametrize("removed", [delete_group, delete_project])
def test_a_key_is_free_again_when_its_last_project_is_removed(cast, path, removed):
    group = make_group(cast.owner, "short", name="Short")
    project = make_project(cast.owner, "Lived", namespace_id=group["id"])
    lost, kept = new_key(), new_key()
    for key in (lost, kept):
        assert cast.owner.post(f"/projects/{project['id']}/deploy_keys", title="x", key=key).status == 201
    assert cast.owner.post(path, title="x", key=kept).status == 201
    assert removed(cast, group).status in (200, 202, 204)
    assert cast.stranger.post("/user/keys", title="mine now", key=lost).status == 201
    assert [key["key"] for key in cast.owner.get(path).json] == [kept]
    assert cast.stranger.post("/user/keys", title="still in use", key=kept).status == 400


def test_a_key_is_free_again_when_the_owner_of_its_project_is_removed(cast):
    project = make_project(cast.guest, "Den")
    key = new_key()
    assert cast.guest.post(f"/projects/{project['id']}/deploy_keys", title="x", key=key).status == 201
    assert cast.root.delete(f"/users/{cast.guest.id}").status == 204
    assert cast.stranger.post("/user/keys", title="mine now", key=key).status == 201


@pytest.mark.commits
def test_a_key_that_several_requests_add_at_once_is_shared_by_their_projects(cast, path):
    line = new_key()
    places = [path, f"/projects/{cast.public.id}/deploy_keys"] * 4

    async def all_at_once():
        params = {"title": "server", "key": line}
        return await asyncio.gather(*(cast.master.exchange("POST", place, params=params) for place in places))

    answers = cast.master.loop.run_until_complete(all_at_once())
    assert {answer.status for answer in answers} == {201}
    assert len({answer.json["id"] for answer in answers}) == 1
    assert [len(cast.master.get(place).json) for place in places[:2]] == [1, 1]


def test_administrators_add_keys_that_every_project_may_enable(cast, path):
    line = new_key()
    assert cast.master.post("/deploy_keys", title="ci", key=line).status == 403
    made = cast.root.post("/deploy_keys", title="ci", key=line, expires_at="2999-01-01")
    assert (made.status, made.json["can_push"], made.json["expires_at"]) == (201, False, "2999-01-01T00:00:00.000Z")
    assert [each["id"] for each in cast.root.get("/deploy_keys").json] == [made.json["id"]]
    assert cast.root.post("/deploy_keys", title="ci", key=line).status == 400
    past = cast.root.post("/deploy_keys", title="ci", key=new_key(), expires_at="2001-01-01")
    assert past.json == {"message": {"expires_at": ["must be in the future"]}}

    def opens():
        found = cast.transact(lambda tx: find_deploy_key_projects(tx, parse(line).sha256))
        return [each.project_id for each in found]

    assert opens() == []
    mine = make_project(cast.stranger, "mine")["id"]
    for person, where in ((cast.master, path), (cast.stranger, f"/projects/{mine}/deploy_keys")):
        enabled = person.post(f"{where}/{made.json['id']}/enable")
        assert (enabled.status, enabled.json["can_push"]) == (201, False)
        assert enabled.json["expires_at"] == made.json["expires_at"]
    assert (opens(), len(cast.root.get("/deploy_keys").json)) == ([cast.private.id, mine], 1)
    cast.run("UPDATE ssh_keys SET expires_at = '2001-01-01T00:00:00.000Z'")
    assert opens() == []
    assert cast.master.delete(f"{path}/{made.json['id']}").status == 204
    assert cast.stranger.delete(f"/projects/{mine}").status == 204
    assert [each["id"] for each in cast.root.get("/deploy_keys").json] == [made.json["id"]]


def test_keys_for_every_project_are_managed_on_a_page(browse, cast):
    root, line = browse("root"), new_key()
    refused = root.send("/admin/deploy_keys", **{"deploy_key[title]": "ci", "deploy_key[key]": "nonsense"})
    assert refused.status == 422
    given = {"deploy_key[title]": "ci", "deploy_key[key]": line, "deploy_key[expires_at]": "2999-01-01"}
    assert root.send("/admin/deploy_keys", **given).status == 303
    page = root.open("/admin/deploy_keys").text
    assert ("for every project" in page, 'expires <time datetime="2999-01-01">' in page) == (True, True)
    [key] = cast.root.get("/deploy_keys").json
    assert "ci" in browse("master").open(f"/{cast.private.path}/settings/repository").text
    assert root.send("/admin/deploy_keys/delete", id=key["id"]).status == 303
    assert cast.root.get("/deploy_keys").json == []
