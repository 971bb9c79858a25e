"""What every request has to pass at every entry point: the `Host` header and the length of its address."""

from dataclasses import replace

import pytest

from mujina.app import build, build_services
from mujina.kernel.http.requests.checks import MAX_TARGET
from mujina.kernel.http.routing import is_capture
from mujina.settings import Settings
from tests.harness.client import Client, Raw
from tests.harness.composed import ROUTES

PATHS = ["/version", "//users/sign_in", "//a/b.git/info/refs?service=git-upload-pack", "//-/health", "//a/b/uploads/x"]


@pytest.fixture
def without_external_url(cast, stage, database, loop):
    """A client of an instance that builds its addresses from `Host`."""
    settings = Settings(data=stage.folder, jobs="inline", password_kilobytes=64)
    return Client(build(build_services(settings, database)), loop, cast.guest.token)


@pytest.mark.parametrize(
    "host", ['evil"><x', "a b", "", " ", "a/b", "a:b", "a:123456", "user@a", "[::1", "\xe9", "a,b"]
)
def test_a_malformed_host_is_refused_everywhere(cast, without_external_url, host):
    for client in (cast.guest, without_external_url):
        for path in PATHS:
            answer = replace(client, host=host).get(path)
            assert (answer.status, answer.json) == (400, {"message": "400 Bad request - The Host header is invalid"})


@pytest.mark.parametrize("host", ["mujina.test", "a_b.test:8080", "127.0.0.1", "[::1]:80", "LOCALHOST"])
def test_addresses_follow_the_host_unless_the_address_is_configured(cast, without_external_url, host):
    path = f"/projects/{cast.public.id}"
    assert replace(without_external_url, host=host).get(path).json["web_url"].startswith(f"http://{host}/company/")
    assert replace(cast.guest, host=host).get(path).json["web_url"].startswith("http://mujina.test/company/")


def test_an_address_that_is_too_long_is_refused_everywhere(cast):
    for path in PATHS:
        room = MAX_TARGET - len("/api/v4") - len(path)
        assert cast.guest.get(path, Raw(query="x" * (room - 20))).status != 414
        answer = cast.guest.get(path, Raw(query="x" * (room + 20)))
        assert (answer.status, answer.json) == (
            414, {"message": f"414 URI Too Long - path and query may have {MAX_TARGET} bytes"},
        )  # fmt: skip


@pytest.mark.parametrize("number", ["9223372036854775808", "99999999999999999999", "9" * 40])
def test_an_id_beyond_64_bits_is_not_found_by_any_route(cast, number):
    """As one within 64 bits that is not there either."""
    for route in ROUTES:
        if route.verb == "GET" and int in {issubclass(kind, int) and int for kind in route.captures.values()}:
            parts = [{":id": str(cast.public.id)}.get(part, part) for part in route.segments]
            if route.captures.get("id", str) is not str and issubclass(route.captures.get("id", str), int):
                parts = route.segments
            path = "/" + "/".join(number if is_capture(part) else part for part in parts)
            absent = path.replace(number, "9223372036854775806")
            assert cast.root.get(path).status == cast.root.get(absent).status, path
            assert cast.root.get(path).status != 200 or "search" in path or "events" in path, path
