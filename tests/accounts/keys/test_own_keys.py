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


def test_a_token_that_may_read_people_may_read_keys(cast):
    assert cast.read_user.get("/user/keys").status == 200
    assert cast.anonymous.get("/user/keys").status == 401
