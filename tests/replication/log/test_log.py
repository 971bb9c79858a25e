"""The log of what secondaries have to copy."""

from datetime import timedelta

import msgspec
import pytest

from mujina.kernel import clock
from mujina.replication.log import operations
from mujina.replication.log.rules import list_events, pruned_through
from mujina.replication.statuses import operations as statuses
from tests.harness.client import File
from tests.harness.replication_nodes import FIGURES


@pytest.fixture
def logged(in_transaction):
    """The kinds and objects that were logged since the last call."""
    seen = [0]

    def read():
        rows = in_transaction(list_events, seen[0], 1000)
        seen[0] = rows[-1].id if rows else seen[0]
        return [(row.kind, row.object_id) for row in rows]

    return read


def change_everything(cast):
    """The project that was created, and everything that secondaries have to know about."""
    project = cast.owner.post("/projects", name="copied").json
    place = f"/projects/{project['id']}"
    cast.owner.post(f"{place}/uploads", file=File("a.txt", b"hello"))
    action = {"action": "create", "file_path": "a", "content": "a"}
    cast.owner.post(f"{place}/repository/commits", branch="master", commit_message="x", actions=[action])
    cast.owner.post(f"{place}/wikis", title="home", content="x")
    cast.owner.put(place, description="the same files")
    cast.owner.put(place, path="renamed")
    cast.owner.delete(place)
    return project["id"]


def test_an_instance_without_secondaries_logs_nothing(cast, logged):
    change_everything(cast)
    assert logged() == []


def test_changes_are_logged_for_secondaries(cast, nodes, logged):
    logged()
    id = change_everything(cast)
    found = logged()
    assert [kind for kind, _ in found] == [
        "repository_created", "project_avatar", "attachment", "repository_updated", "wiki_updated", "project_avatar",
        "project_avatar", "repository_renamed", "repository_deleted", "files_removed",
    ]  # fmt: skip
    assert {of for kind, of in found if kind != "attachment"} == {id}


def test_a_change_that_fails_is_not_logged(cast, nodes, logged):
    logged()
    assert cast.owner.post("/projects", name="private", namespace_id=cast.team.id).status == 409
    assert logged() == []


def test_the_log_is_pruned_behind_the_slowest_node(cast, nodes, in_transaction):
    async def fill(tx):
        for _ in range(1_010):
            await operations.append(tx, "repository_updated", cast.private.id)
        return await tx.value("SELECT max(id) FROM replication_log")

    async def first(tx):
        return await tx.value("SELECT min(id) FROM replication_log")

    async def age(tx, id):
        await tx.run(
            "UPDATE replication_log SET created_at = :then WHERE id <= :id", then=clock.later(-timedelta(days=8)), id=id
        )

    newest, oldest = in_transaction(fill), in_transaction(first)
    in_transaction(statuses.store, nodes[1], msgspec.structs.replace(FIGURES, cursor_event_id=newest))
    assert in_transaction(operations.prune) == 0, "a secondary that has not reported needs all rows"
    cast.root.put(f"/geo_nodes/{nodes[2]}", enabled=False)
    assert in_transaction(operations.prune) == newest - 1_000 - oldest + 1
    assert (in_transaction(first), in_transaction(pruned_through)) == (newest - 999, newest - 1_000)
    in_transaction(age, newest - 500)
    assert in_transaction(operations.prune) == 500, "a node that is too far behind starts over"
    cast.root.put(f"/geo_nodes/{nodes[1]}", enabled=False)
    in_transaction(operations.prune)
    assert in_transaction(first) is None, "nobody reads it"
