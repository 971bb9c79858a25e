import pytest


@pytest.fixture
def key(cast, made):
    answer = cast.root.post(f"/users/{cast.guest.id}/keys", title="Given", key=made("ed25519"))
    assert answer.status == 201, answer
    return answer.json


def test_add_key(cast, key):
    assert cast.guest.get("/user/keys").json == [key]


def test_list_keys(cast, key):
    assert cast.root.get(f"/users/{cast.guest.id}/keys").json == [key]
    assert cast.root.get("/users/99999/keys").json == {"message": "404 User Not Found"}


def test_delete_key(cast, key):
    assert cast.root.delete(f"/users/{cast.reporter.id}/keys/{key['id']}").json == {"message": "404 Key Not Found"}
    assert cast.root.delete(f"/users/99999/keys/{key['id']}").json == {"message": "404 User Not Found"}
    assert cast.root.delete(f"/users/{cast.guest.id}/keys/{key['id']}").status == 204
    assert cast.guest.get("/user/keys").json == []


def test_show_key(cast, key):
    shown = cast.root.get(f"/keys/{key['id']}").json
    assert {name: shown[name] for name in key} == key
    assert (shown["user"]["username"], shown["user"]["email"]) == ("guest", "guest@example.org")
    assert cast.root.get("/keys/99999").json == {"message": "404 Key Not Found"}


def test_only_administrators_touch_the_keys_of_others(cast, key, made):
    place = f"/users/{cast.guest.id}/keys"
    for person, status in ((cast.guest, 403), (cast.reporter, 403), (cast.anonymous, 401)):
        assert person.get(place).status == status
        assert person.post(place, title="x", key=made("ed25519", name="two")).status == status
        assert person.delete(f"{place}/{key['id']}").status == status
        assert person.get(f"/keys/{key['id']}").status == status


def test_keys_of_a_deleted_user_can_be_added_again(cast, key, made):
    cast.root.delete(f"/users/{cast.guest.id}")
    assert cast.reporter.post("/user/keys", title="Mine now", key=made("ed25519")).status == 201
