import subprocess

import pytest

from mujina.accounts.keys.rules import find_key
from mujina.kernel.errors import ApiError


@pytest.fixture
def find(cast):
    return lambda fingerprint: cast.transact(lambda tx: find_key(tx, fingerprint))


@pytest.fixture
def fingerprint(cast, made):
    """The print of the guest's key, as `ssh-keygen -l` says it."""
    key = made("ecdsa", 256)
    cast.guest.post("/user/keys", title="Laptop", key=key)
    said = subprocess.run(["ssh-keygen", "-lf", "-"], input=key, text=True, capture_output=True, check=True)
    return said.stdout.split()[1]


def test_a_key_stands_for_the_person_whose_it_is(cast, find, fingerprint):
    actor = find(fingerprint)
    assert (actor.id, actor.username, actor.admin) == (cast.guest.id, "guest", False)


def test_an_unknown_key_authenticates_no_one(find, fingerprint):
    assert find(f"SHA256:{'A' * 43}") is None


def test_the_key_of_a_blocked_user_is_refused(cast, find, fingerprint):
    cast.root.post(f"/users/{cast.guest.id}/block")
    with pytest.raises(ApiError, match="403"):
        find(fingerprint)


def test_the_key_of_a_deleted_user_is_unknown(cast, find, fingerprint):
    cast.root.delete(f"/users/{cast.guest.id}")
    assert find(fingerprint) is None


def test_a_deleted_key_is_unknown(cast, find, fingerprint):
    cast.guest.delete(f"/user/keys/{cast.guest.get('/user/keys').json[0]['id']}")
    assert find(fingerprint) is None
