"""Failures are counted by person at every door, and by address where the operator wants it."""

import base64

import pytest

from mujina.app import build, build_services
from mujina.settings import Settings
from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.client import Client, Raw
from tests.harness.visitor import Visitor


def git(client, cast, name, password, *, address=None):
    """The status of a clone with this name and password."""
    login = {"authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}
    login |= {"x-forwarded-for": address} if address else {}
    return client.get(f"//{cast.public.path}.git/info/refs?service=git-upload-pack", Raw(headers=login)).status


def test_ten_failures_in_git_lock_the_account_at_every_entry_point(known, client):
    assert git(client, known, "reporter", PASSWORD) == 200
    assert [git(client, known, "reporter", "wrong") for _ in range(10)] == [401] * 10
    assert git(client, known, "reporter", PASSWORD) == 401
    assert Visitor(client).sign_in("reporter", PASSWORD).status == 422
    assert git(client, known, "root", PASSWORD) == 200
    assert git(client, known, "reporter", known.reporter.token) == 200


def lock_account(known, client):
    assert {git(client, known, "reporter", "wrong") for _ in range(10)} == {401}
    assert git(client, known, "reporter", PASSWORD) == 401


def test_an_administrator_unlocks_an_account(known, client):
    lock_account(known, client)
    unblock = f"/users/{known.reporter.id}/unblock"
    assert known.guest.post(unblock).status == 403
    assert known.root.post(unblock).json is True
    assert git(client, known, "reporter", PASSWORD) == 200
    assert known.root.post(unblock).json is False
    assert known.events()[-1] == "user.unlocked"


def test_a_new_password_unlocks_an_account(known, client):
    lock_account(known, client)
    assert known.root.put(f"/users/{known.reporter.id}", password="an entirely new one").status == 200
    assert git(client, known, "reporter", "an entirely new one") == 200


@pytest.fixture
def strict(known, stage, database, loop):
    """The application of an operator who lets an address fail three times."""
    settings = Settings(
        data=stage.folder,
        jobs="inline",
        external_url="http://mujina.test",
        password_kilobytes=64,
        max_failed_logins=3,
        trusted_proxies=("127.0.0.0/8",),
    )
    return Client(build(build_services(settings, database)), loop)


def test_an_address_with_too_many_failures_is_rejected_for_every_account(strict, known, client):
    for name in ("somebody", "nobody", "root"):
        assert git(strict, known, name, "wrong") == 401
    login = {"authorization": "Basic " + base64.b64encode(f"reporter:{PASSWORD}".encode()).decode()}
    grant = {"grant_type": "password", "username": "reporter", "password": PASSWORD}
    for answer in (
        strict.get(f"//{known.public.path}.git/info/refs?service=git-upload-pack", Raw(headers=login)),
        strict.get(f"//{known.public.path}.git/info/lfs/locks", Raw(headers=login)),
        Visitor(strict).sign_in("reporter", PASSWORD),
        strict.post("//oauth/token", **grant),
    ):
        assert answer.status == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 600
    assert git(strict, known, "reporter", known.reporter.token) == 200
    assert git(client, known, "reporter", PASSWORD) == 200


def test_successful_attempts_do_not_count_against_an_address(strict, known):
    assert [git(strict, known, "reporter", PASSWORD) for _ in range(4)] == [200] * 4


def test_the_addresses_of_one_network_count_together(strict, known):
    """A client with one address of IPv6 has 2**64 of them."""
    tried = [f"2001:db8:0:1::{number}" for number in range(1, 4)]
    assert [git(strict, known, "nobody", "wrong", address=address) for address in tried] == [401] * 3
    assert git(strict, known, "reporter", PASSWORD, address="2001:db8:0:1:ffff:ffff:ffff:ffff") == 429
    assert git(strict, known, "reporter", PASSWORD, address="2001:db8:0:2::1") == 200
    tried = ["::ffff:192.0.2.1", "192.0.2.2", "192.0.2.3"]
    assert [git(strict, known, "nobody", "wrong", address=address) for address in tried] == [401] * 3
    assert git(strict, known, "reporter", PASSWORD, address="192.0.2.1") == 200
