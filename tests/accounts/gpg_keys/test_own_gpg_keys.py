import pytest

MISSING = {"message": "404 GPG Key Not Found"}


@pytest.fixture
def key(cast, made):
    return cast.guest.post("/user/gpg_keys", key=made("guest")).json


def test_list_own_gpg_keys(cast, key):
    answer = cast.guest.get("/user/gpg_keys")
    assert (answer.json, answer.headers["X-Total"]) == ([key], "1")
    assert cast.reporter.get("/user/gpg_keys").json == []
    assert cast.read_user.get("/user/gpg_keys").status == 200
    assert cast.anonymous.get("/user/gpg_keys").status == 401


def test_show_own_gpg_key(cast, key):
    assert cast.guest.get(f"/user/gpg_keys/{key['id']}").json == key
    answer = cast.root.get(f"/user/gpg_keys/{key['id']}")
    assert (answer.status, answer.json) == (404, MISSING)


def test_delete_own_gpg_key(cast, key, made):
    assert cast.reporter.delete(f"/user/gpg_keys/{key['id']}").json == MISSING
    assert cast.guest.delete(f"/user/gpg_keys/{key['id']}").status == 204
    assert cast.guest.delete(f"/user/gpg_keys/{key['id']}").json == MISSING
    assert cast.reporter.post("/user/gpg_keys", key=made("guest")).status == 201


def test_revoke_own_gpg_key(cast, key):
    seen = len(cast.events())
    assert cast.reporter.post(f"/user/gpg_keys/{key['id']}/revoke").json == MISSING
    answer = cast.guest.post(f"/user/gpg_keys/{key['id']}/revoke")
    assert (answer.status, answer.text) == (202, "null")
    assert cast.guest.get("/user/gpg_keys").json == []
    assert cast.events()[seen:] == ["gpg_key.revoked"]
