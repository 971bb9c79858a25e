"""/geo_nodes/status on a secondary: what it measures itself, and what the primary stored."""

from datetime import timedelta

import pytest

from mujina.kernel import clock
from mujina.replication.statuses import operations
from tests.harness.in_process_secondary import secondary_client
from tests.harness.replication_nodes import FIGURES


@pytest.fixture
def engine():
    """Only PostgreSQL has secondaries."""
    return "postgres"


def test_a_secondary_shows_the_status_that_the_primary_stored(stage, cast, database, nodes, in_transaction, tmp_path):
    async def age(tx):
        await tx.run("UPDATE replication_statuses SET reported_at = :then", then=clock.later(-timedelta(seconds=61)))

    with secondary_client(stage, database, stage.folder, tmp_path / "secondary", nodes[1]) as client:
        root = stage.cast(client, database).root
        assert [each["geo_node_id"] for each in root.get("/geo_nodes/status").json] == [nodes[1]], "it measures itself"
        assert root.get(f"/geo_nodes/{nodes[0]}/status").status == 404
        in_transaction(operations.store, nodes[0], FIGURES)
        primary, own = root.get("/geo_nodes/status").json
        assert (primary["geo_node_id"], primary["health_status"], primary["revision"]) == (
            nodes[0], "Healthy", FIGURES.revision,
        )  # fmt: skip
        assert (own["health_status"], own["health"][:40]) == ("Unhealthy", "The database of this node is not a repli")
        in_transaction(age)
        assert root.get(f"/geo_nodes/{nodes[0]}/status").json["health_status"] == "Offline"
