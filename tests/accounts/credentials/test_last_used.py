"""When a token was last used: noted by requests, written by a service."""

import pytest

from mujina.accounts.credentials.authentication import find_actor
from mujina.accounts.credentials.basic import find_actor_by_password
from mujina.accounts.credentials.operations import TokenUseWriter, write_uses
from mujina.app import build_services
from mujina.kernel.http.dispatcher import Credentials
from mujina.settings import Settings


@pytest.fixture
def services(cast, tmp_path):
    return build_services(Settings(data=tmp_path, jobs="inline"), cast.database)


@pytest.fixture
def token(cast):
    return cast.root.post(f"/users/{cast.reporter.id}/personal_access_tokens", name="ci", scopes=["api"]).json


def shown(cast, token):
    return cast.root.get(f"/personal_access_tokens/{token['id']}").json["last_used_at"]


def test_the_last_use_of_a_token_is_up_to_ten_minutes_old(cast, services, token):
    run = cast.root.loop.run_until_complete
    assert shown(cast, token) is None
    run(find_actor(services, Credentials(token=token["token"])))
    run(write_uses(services))
    first = shown(cast, token)
    assert first is not None
    run(find_actor(services, Credentials(token=token["token"])))
    assert services.token_uses == {}
    cast.run("UPDATE access_tokens SET last_used_at = '2018-01-01T00:00:00.000Z' WHERE id = :id", id=token["id"])
    run(find_actor_by_password(services, "any", token["token"], "127.0.0.1"))
    run(write_uses(services))
    assert shown(cast, token) >= first
    listed = cast.root.get("/personal_access_tokens", last_used_after="2019-01-01T00:00:00Z").json
    assert [each["id"] for each in listed] == [token["id"]]
    assert cast.root.get("/personal_access_tokens", last_used_before="2019-01-01T00:00:00Z").json == []


def test_a_server_that_stops_writes_what_it_has_noted(cast, services, token):
    run = cast.root.loop.run_until_complete
    run(find_actor(services, Credentials(basic=("any", token["token"]), for_packages=True)))
    writer = TokenUseWriter(services)
    writer.stop()
    run(writer.run())
    assert shown(cast, token) is not None
