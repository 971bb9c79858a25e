"""Signing in to a secondary by OAuth at the primary. tests/replication/sync forwards the last request to a real primary."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from mujina.replication.sign_in import states
from tests.accounts.sessions.conftest import PASSWORD, hashed, known, visitor
from tests.harness.in_process_secondary import secondary_client
from tests.harness.replication_nodes import PRIMARY, SECONDARY
from tests.harness.visitor import Visitor

__all__ = ["PASSWORD", "hashed", "known", "visitor"]
CALLBACK = f"{SECONDARY}oauth/geo/callback?"
NOT_SIGNED_IN = "You were not signed in"


@pytest.fixture
def engine():
    """Only PostgreSQL has secondaries."""
    return "postgres"


@pytest.fixture
def secondary(stage, known, database, nodes, tmp_path):
    """A browser that visits a secondary."""
    with secondary_client(stage, database, stage.folder, tmp_path / "secondary", nodes[1]) as client:
        yield Visitor(client)


@pytest.fixture
def primary(visitor, known):
    """This browser at the primary, where its user is signed in."""
    visitor.sign_in("reporter", PASSWORD)
    return visitor


def lead(secondary, primary, **query):
    """What the primary sends the browser back to the secondary with."""
    away = secondary.open("/oauth/geo/auth", **query).headers["Location"]
    assert away.startswith(f"{PRIMARY}oauth/authorize?")
    back = primary.open(f"/oauth/authorize?{urlsplit(away).query}").headers["Location"]
    assert back.startswith(CALLBACK), back
    return {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}


def end(primary, browser, **answer):
    """The last request, as the secondary forwards it: the primary answers it with the cookie of the secondary."""
    return Visitor(primary.client, browser.cookie).open("/oauth/geo/callback", **answer)


def test_the_sign_in_page_of_a_secondary_leads_to_the_primary_and_back(secondary, primary):
    secondary.open("/users/sign_in", target="/company/department")
    assert "user[password]" not in secondary.page.text
    [link] = secondary.links("/oauth/geo/auth")
    assert link == "/oauth/geo/auth?target=/company/department"
    answer = lead(secondary, primary, target="/company/department")
    away = secondary.open("/oauth/geo/callback", **answer)
    assert away.status == 503, "the primary has to write the session, and it is away"
    signed_in = end(primary, secondary, **answer)
    assert (signed_in.status, signed_in.headers["Location"]) == (302, "/company/department")
    secondary.cookie = signed_in.headers["Set-Cookie"].partition("_service_session=")[2].partition(";")[0].strip('"')
    assert secondary.call("GET", "/user").json["username"] == "reporter"
    assert secondary.open("/users/sign_in").headers["Location"] == "/"
    assert secondary.open("/oauth/geo/auth", target="/a").headers["Location"] == "/a"
    assert end(primary, secondary, **answer).status == 422, "neither the state nor the code is good for this session"


def test_a_sign_in_ends_in_the_browser_that_began_it(secondary, primary, stage):
    answer = lead(secondary, primary)
    other = Visitor(secondary.client)
    other.open("/users/sign_in")
    for browser, given in (
        (other, answer), (Visitor(secondary.client), answer), (secondary, {**answer, "state": ""}),
        (secondary, {**answer, "state": answer["state"][:-2]}), (secondary, {"state": answer["state"]}),
        (secondary, {**answer, "code": "x"}), (secondary, {"error": "access_denied", "state": answer["state"]}),
    ):  # fmt: skip
        refused = end(primary, browser, **given)
        assert (refused.status, NOT_SIGNED_IN in refused.text) == (422, True), given
        assert "_service_session" not in refused.headers.get("Set-Cookie", "") or not browser.cookie
    mine = lead(other, primary)
    assert end(primary, secondary, code=mine["code"], state=answer["state"]).status == 422, "a code of another browser"
    assert end(primary, secondary, **answer).status == 302


def test_a_sign_in_leads_nowhere_else_and_does_not_last(secondary, primary, monkeypatch):
    for target in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"):
        signed_in = end(primary, secondary, **lead(secondary, primary, target=target))
        assert (signed_in.status, signed_in.headers["Location"]) == (302, "/"), target
    monkeypatch.setattr(states, "LIFETIME", timedelta(seconds=-1))
    answer = lead(secondary, primary)
    assert end(primary, secondary, **answer).status == 422
    assert primary.open("/oauth/geo/callback").status == 422


def test_a_secondary_without_its_application_says_so(secondary, primary, known, nodes, in_transaction):
    async def remove(tx):
        await tx.run("DELETE FROM oauth_applications WHERE name = :name", name=f"Geo node: {SECONDARY}")

    answer = lead(secondary, primary)
    in_transaction(remove)
    refused = secondary.open("/oauth/geo/auth")
    assert (refused.status, "until an administrator enables or repairs it" in refused.text) == (422, True)
    assert end(primary, secondary, **answer).status == 422
    assert known.root.put(f"/geo_nodes/{nodes[1]}/repair").status == 200
    assert end(primary, secondary, **answer).status == 422, "a code of the former application"
    assert end(primary, secondary, **lead(secondary, primary)).status == 302


def test_no_user_signs_in_to_a_disabled_node_or_without_replication(secondary, primary, known, nodes, set_edition):
    answer = lead(secondary, primary)
    for enabled, edition in ((False, "ultimate"), (True, "core")):
        known.root.put(f"/geo_nodes/{nodes[1]}", enabled=enabled)
        set_edition(edition)
        assert secondary.open("/oauth/geo/auth").status == 422
        assert end(primary, secondary, **answer).status == 422
    set_edition("ultimate")
    assert end(primary, secondary, **answer).status == 302


def test_a_primary_begins_no_such_sign_in(visitor, client):
    assert visitor.open("/oauth/geo/auth").status == 404
