"""Following the log of the primary, on a secondary whose database is that of the test."""

import pytest

from mujina.kernel import clock
from mujina.replication.nodes.identity import read_identity
from mujina.replication.registry.cursor import read_cursor
from mujina.replication.sync.events import EventFollower
from mujina.replication.sync.operations import Primary
from tests.harness.in_process_secondary import secondary_services


@pytest.fixture
def engine():
    """Only PostgreSQL has secondaries."""
    return "postgres"


class Follower:
    """Follows the log and says how far it is, and which repositories have to be copied since the last time."""

    def __init__(self, services, loop, in_transaction):
        self.services = services
        self.loop = loop
        self.in_transaction = in_transaction
        self.follower = EventFollower(
            services, services.registry, Primary(services, read_identity(services.settings.data))
        )

    def log(self, id, project_id, kind="repository_updated"):
        async def insert(tx):
            await tx.run(
                "INSERT INTO replication_log (id, kind, object_id, created_at) VALUES (:id, :kind, :object_id, :now)",
                id=id, kind=kind, object_id=project_id, now=clock.now(),
            )  # fmt: skip

        self.in_transaction(insert)

    def prune(self, through):
        async def delete(tx):
            await tx.run("DELETE FROM replication_log WHERE id <= :through", through=through)
            await tx.run("INSERT INTO replication_pruned (id, event_id) VALUES (1, :through)", through=through)

        self.in_transaction(delete)

    def rewind(self, through):
        async def delete(tx):
            await tx.run("DELETE FROM replication_log WHERE id > :through", through=through)

        self.in_transaction(delete)

    def follow(self):
        return self.loop.run_until_complete(self._follow())

    async def _follow(self):
        await self.follower.follow()
        async with self.services.registry.transaction() as tx:
            changed = await tx.values(
                "SELECT project_id FROM replicated_repositories WHERE dirty AND kind = 'repository' ORDER BY 1"
            )
            await tx.run("UPDATE replicated_repositories SET dirty = FALSE")
            return (await read_cursor(tx)).event_id, changed


@pytest.fixture
def follower(stage, cast, database, loop, nodes, in_transaction, tmp_path):
    with secondary_services(stage, database, stage.folder, tmp_path / "secondary", nodes[1]) as services:
        yield Follower(services, loop, in_transaction)


def test_numbers_that_are_committed_late_are_applied(follower, cast):
    everything = sorted([cast.private.id, cast.internal.id, cast.public.id])
    follower.log(2_000, cast.private.id)
    cursor, changed = follower.follow()
    assert (cursor, set(everything) <= set(changed)) == (2_000, True), "a new node starts at the end and compares all"
    assert follower.follow() == (2_000, [])
    follower.log(2_003, cast.private.id)
    assert follower.follow() == (2_003, [cast.private.id])
    follower.log(2_001, cast.public.id)
    assert follower.follow() == (2_003, [cast.public.id]), "its transaction was the longer one"
    follower.log(1_990, cast.internal.id)
    assert follower.follow() == (2_003, [cast.internal.id]), "it began before this node started"
    follower.log(2_002, 0)
    assert follower.follow() == (2_003, []), "no project"
    follower.log(2_004, cast.private.id)
    assert follower.follow() == (2_004, [cast.private.id])


def test_a_node_that_missed_what_was_pruned_compares_everything(follower, cast):
    follower.log(2_000, cast.private.id)
    _, everything = follower.follow()
    follower.log(2_500, cast.private.id)
    follower.prune(2_499)
    follower.follower.started_over = False
    assert follower.follow() == (2_500, everything)
    assert follower.follower.started_over
    follower.log(2_501, cast.public.id)
    assert follower.follow() == (2_501, [cast.public.id])


def test_a_node_whose_primary_was_restored_from_a_backup_compares_everything(follower, cast):
    follower.log(2_000, cast.private.id)
    _, everything = follower.follow()
    follower.log(2_003, cast.private.id)
    assert follower.follow() == (2_003, [cast.private.id])
    follower.rewind(2_000)
    follower.log(2_001, cast.public.id)
    assert follower.follow() == (2_001, everything), "its number was another event before"
    follower.log(2_002, cast.public.id)
    assert follower.follow() == (2_002, [cast.public.id])
