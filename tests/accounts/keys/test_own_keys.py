import pytest

from tests.harness.client import Raw


@pytest.fixture
def key(cast, made):
    return cast.guest.post("/user/keys", title="Laptop", key=made("ed25519")).json


def test_list_own_keys(cast, key, made):
    other = cast.guest.post("/user/keys", title="Desk", key=made("ed25519", name="two")).json
    answer = cast.guest.get("/user/keys")
    assert answer.json == [key, other]
    assert answer.headers["X-Total"] == "2"
    assert cast.reporter.get("/user/keys").json == []


def test_show_own_key(cast, key):
    assert cast.guest.get(f"/user/keys/{key['id']}").json == key
    for person in (cast.reporter, cast.root):
        answer = person.get(f"/user/keys/{key['id']}")
        assert (answer.status, answer.json) == (404, {"message": "404 Key Not Found"})


def test_delete_own_key(cast, key, made):
    assert cast.reporter.delete(f"/user/keys/{key['id']}").status == 404
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.guest.delete(f"/user/keys/{key['id']}", raw=long_ago).status == 412
    answer = cast.guest.delete(f"/user/keys/{key['id']}")
    assert (answer.status, answer.text) == (204, "")
    answer = cast.guest.delete(f"/user/keys/{key['id']}")
    assert (answer.status, answer.json) == (404, {"message": "404 Key Not Found"})
    assert cast.reporter.post("/user/keys", title="Mine now", key=made("ed25519")).status == 201


def test_a_key_expires(cast, client, made):
    given = {"title": "Laptop", "key": made("ed25519")}
    past = cast.guest.post("/user/keys", **given, expires_at="2001-01-01")
    assert (past.status, past.json) == (400, {"message": {"expires_at": ["must be in the future"]}})
    key = cast.root.post(f"/users/{cast.guest.id}/keys", **given, expires_at="2999-01-01")
    assert (key.status, key.json["expires_at"]) == (201, "2999-01-01T00:00:00.000Z")
    assert cast.guest.get("/user/keys").json == [key.json]
    assert cast.root.get(f"/keys/{key.json['id']}").json["expires_at"] == key.json["expires_at"]
    assert client.get("//guest.keys").text != ""
    cast.run("UPDATE ssh_keys SET expires_at = '2001-01-01T00:00:00.000Z'")
    assert len(cast.guest.get("/user/keys").json) == 1
    assert client.get("//guest.keys").text == ""


def test_a_token_that_may_read_people_may_read_keys(cast):
    assert cast.read_user.get("/user/keys").status == 200
    assert cast.anonymous.get("/user/keys").status == 401
