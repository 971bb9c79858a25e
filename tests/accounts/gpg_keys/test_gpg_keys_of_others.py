import pytest

MISSING = {"message": "404 GPG Key Not Found"}


@pytest.fixture
def place(cast):
    return f"/users/{cast.guest.id}/gpg_keys"


@pytest.fixture
def key(cast, place, made):
    answer = cast.root.post(place, key=made("guest"))
    assert answer.status == 201, answer
    return answer.json


def test_add_gpg_key(cast, key, made):
    assert cast.guest.get("/user/gpg_keys").json == [key]
    assert cast.root.post("/users/99999/gpg_keys", key=made("reporter")).json == {"message": "404 User Not Found"}


def test_list_gpg_keys(cast, place, key):
    assert cast.root.get(place).json == [key]


def test_show_gpg_key(cast, place, key):
    assert cast.root.get(f"{place}/{key['id']}").json == key
    assert cast.root.get(f"/users/{cast.reporter.id}/gpg_keys/{key['id']}").json == MISSING


def test_delete_gpg_key(cast, place, key):
    assert cast.root.delete(f"{place}/{key['id']}").status == 204
    assert cast.root.delete(f"{place}/{key['id']}").json == MISSING


def test_revoke_gpg_key(cast, place, key):
    assert cast.root.post(f"{place}/{key['id']}/revoke").status == 202
    assert cast.root.get(place).json == []


def test_only_administrators_touch_the_keys_of_others(cast, place, key, made):
    for person, status in ((cast.guest, 403), (cast.anonymous, 401)):
        assert person.get(place).status == status
        assert person.get(f"{place}/{key['id']}").status == status
        assert person.post(place, key=made("reporter")).status == status
        assert person.delete(f"{place}/{key['id']}").status == status
        assert person.post(f"{place}/{key['id']}/revoke").status == status
