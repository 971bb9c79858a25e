"""What the permission matrix says holds on a secondary as well, and the credential of a node opens no route."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.secrets import Vault, instance_key
from mujina.replication.forwarding.operations import NODE_HEADER
from mujina.replication.nodes import operations, tokens
from mujina.replication.nodes.operations import SECRET_PURPOSE
from tests.architecture import samples
from tests.architecture.test_permissions import lines_by_route, name, sampled
from tests.harness.client import Raw
from tests.harness.composed import ROUTES
from tests.harness.in_process_secondary import secondary_client
from tests.harness.stage import UNREACHABLE

FORWARDED = {
    "GET /hooks/:id",
}
"""Reads that also write, if the caller may read: the primary answers them."""
AWAY = {"message": "503 Service Unavailable - the primary cannot be reached"}


@pytest.fixture
def engine() -> str:
    """Only PostgreSQL has secondaries."""
    return "postgres"


@pytest.fixture
def people(world, stage, tmp_path: Path) -> Iterator[list]:
    """The cast, as clients of a secondary."""
    node_id = world.ids["private"]["/geo_nodes/:"]
    with secondary_client(
        stage, world.database, stage.home / "world", tmp_path / "secondary", node_id, ldap=UNREACHABLE
    ) as client:
        yield stage.cast(client, world.database).people


def test_reads_of_a_secondary_are_permitted_as_on_the_primary(world, people):
    """For each line of the matrix, one of the cast for each status in it."""
    differing, forwarded = [], set()
    lines = lines_by_route()
    reads = [route for route in ROUTES if route.verb == "GET" and name(route) not in samples.BEFORE]
    rows = [(route, line) for route in reads for line in lines[name(route)]]
    for turn, (route, line) in enumerate(rows):
        for person, project, expected in sampled(line, people, turn):
            answer = person.ask("GET", world.path(route, project), params=world.params(route, project))
            if answer.status == 503 and expected.startswith("2") and answer.json == AWAY:
                forwarded.add(name(route))
            elif str(answer.status) != expected:
                differing.append((name(route), project, person.name, expected, answer.status))
    assert differing == []
    assert forwarded == FORWARDED
    assert all(route.writes for route in reads if name(route) in forwarded), "a session alone must not open them"


def test_the_primary_answers_what_it_has_not_checked_yet(world, people):
    """A secondary cannot store what it finds out about a signature."""
    ids = world.ids["private"]
    path = f"/projects/{ids['/projects/:']}/repository/commits/{ids['/projects/:/commits/:']}/signature"
    [reporter] = [person for person in people if person.name == "reporter"]
    assert reporter.get(path).json["verification_status"] == "unverified"

    async def forget():
        async with world.database.transaction() as tx:
            await tx.run("DELETE FROM commit_signatures")

    world.cast.root.loop.run_until_complete(forget())
    assert (reporter.get(path).status, reporter.get(path).json) == (503, AWAY)


def test_the_credential_of_a_node_opens_no_route(world, stage):
    data = stage.home / "world"
    vault = Vault(instance_key(data))

    async def add():
        async with world.database.transaction() as tx:
            added = await operations.add_secondary(tx, SYSTEM, vault, "https://fourth.example.com")
            return await tx.row(
                tuple[str, str], "SELECT access_key, secret FROM replication_nodes WHERE id = :id", id=added.id
            )

    key, secret = stage.loop.run_until_complete(add())
    credential = tokens.authorization(key, vault.decrypt(secret, SECRET_PURPOSE), {"forward": True}, seconds=600)
    anonymous, opened = world.cast.anonymous, []
    for route in ROUTES:
        path, params = world.path(route), world.params(route)
        for headers in ({"Authorization": credential}, {"Authorization": credential, NODE_HEADER: credential}):
            answer = anonymous.ask(route.verb, path, Raw(headers=headers), params)
            if answer.status != 401:
                opened.append((name(route), answer.status))
    assert opened == []
