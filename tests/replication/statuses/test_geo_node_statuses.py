"""/geo_nodes/status and /geo_nodes/:id/status."""

import time
from datetime import timedelta

import msgspec
import pytest

from mujina.kernel import clock
from mujina.replication.statuses import operations
from mujina.replication.statuses.entities import percentage
from tests.harness.client import File
from tests.harness.replication_nodes import FIGURES

WIKIS = ["wikis_count", "wikis_failed_count", "wikis_synced_count", "wikis_synced_in_percentage"]
KEYS = [
    "geo_node_id", "healthy", "health", "health_status", "missing_oauth_application", "attachments_count",
    "attachments_synced_count", "attachments_failed_count", "attachments_synced_in_percentage",
    "db_replication_lag_seconds", "lfs_objects_count", "lfs_objects_synced_count", "lfs_objects_failed_count",
    "lfs_objects_synced_in_percentage", "job_artifacts_count", "job_artifacts_synced_count",
    "job_artifacts_failed_count", "job_artifacts_synced_in_percentage", "repositories_count",
    "repositories_failed_count", "repositories_synced_count", "repositories_synced_in_percentage", *WIKIS,
    "last_event_id", "last_event_timestamp", "cursor_last_event_id", "cursor_last_event_timestamp",
    "last_successful_status_check_timestamp", "version", "revision",
]  # fmt: skip


@pytest.fixture
def report(in_transaction):
    def store(node_id, figures):
        in_transaction(operations.store, node_id, figures)

    return store


def test_the_primary_measures_itself(cast):
    [before] = cast.root.get("/geo_nodes/status").json
    assert list(before) == KEYS
    assert cast.root.post(f"/projects/{cast.private.id}/uploads", file=File("a.txt", b"hello")).status == 201
    project = cast.root.post("/projects", name="another", wiki_enabled=False).json
    [status] = cast.root.get("/geo_nodes/status").json
    assert status["attachments_count"] == before["attachments_count"] + 1
    assert status["repositories_count"] == before["repositories_count"] + 1
    assert status["wikis_count"] == before["wikis_count"]
    assert (status["healthy"], status["health"], status["health_status"]) == (True, "Healthy", "Healthy")
    null = [key for key, value in status.items() if value is None]
    assert [
        key for key in KEYS if "synced_count" in key or "failed_count" in key or "lag" in key or "event_id" in key
    ] == null
    assert {value for key, value in status.items() if "percentage" in key} == {"0.00%"}
    assert (status["last_event_timestamp"], status["cursor_last_event_timestamp"]) == (0, 0)
    assert abs(status["last_successful_status_check_timestamp"] - time.time()) < 60
    assert status["missing_oauth_application"] is False
    single = cast.root.get(f"/geo_nodes/{status['geo_node_id']}/status").json
    assert list(single) == [key for key in KEYS if key not in WIKIS]
    assert cast.root.delete(f"/projects/{project['id']}").status == 204
    assert cast.root.get("/geo_nodes/status").json[0]["repositories_count"] == before["repositories_count"]


def test_a_secondary_shows_what_it_reported(cast, nodes, report, in_transaction):
    assert [status["geo_node_id"] for status in cast.root.get("/geo_nodes/status").json] == nodes[:1]
    place = f"/geo_nodes/{nodes[1]}/status"
    assert (cast.root.get(place).status, cast.root.get(place).json) == (
        404, {"message": "404 Status for Geo node not found Not Found"},
    )  # fmt: skip
    assert cast.root.get("/geo_nodes/99/status").json == {"message": "404 GeoNode Not Found"}
    report(nodes[1], FIGURES)
    found = cast.root.get("/geo_nodes/status")
    assert (len(found.json), found.headers["X-Total"]) == (2, "2")
    assert cast.root.get("/geo_nodes/status", per_page=1, page=2).json == found.json[1:]
    status = found.json[1]
    assert list(status) == KEYS
    assert cast.root.get(place).json == {key: value for key, value in status.items() if key not in WIKIS}
    assert (status["attachments_synced_in_percentage"], status["repositories_synced_in_percentage"]) == (
        "33.33%",
        "97.56%",
    )
    assert (status["wikis_synced_in_percentage"], status["lfs_objects_synced_in_percentage"]) == ("66.67%", "0.00%")
    assert (status["repositories_synced_count"], status["repositories_failed_count"]) == (40, 1)
    assert (status["last_event_id"], status["last_event_timestamp"]) == (23, 1509681166)
    assert (status["cursor_last_event_id"], status["cursor_last_event_timestamp"]) == (23, 1509681166)
    assert (status["health"], status["missing_oauth_application"]) == ("Healthy", False)

    async def remove(tx):
        await tx.run("DELETE FROM oauth_applications WHERE name LIKE 'Geo node:%'")

    in_transaction(remove)
    assert cast.root.get(place).json["missing_oauth_application"] is True
    cast.root.post(f"/geo_nodes/{nodes[1]}/repair")
    assert cast.root.get(place).json["missing_oauth_application"] is False


def test_a_node_that_reports_trouble_or_nothing_is_not_healthy(cast, nodes, report, in_transaction):
    def health():
        status = cast.root.get(f"/geo_nodes/{nodes[1]}/status").json
        return status["healthy"], status["health_status"], status["health"]

    report(nodes[1], msgspec.structs.replace(FIGURES, problem="The disk is full."))
    assert health() == (False, "Unhealthy", "The disk is full.")
    report(nodes[1], FIGURES)
    assert health() == (True, "Healthy", "Healthy")
    then = clock.later(-timedelta(seconds=61))

    async def age(tx):
        await tx.run("UPDATE replication_statuses SET reported_at = :then", then=then)

    in_transaction(age)
    assert health() == (False, "Offline", f"The node has not reported since {then[:10]} {then[11:19]} UTC.")
    status = cast.root.get(f"/geo_nodes/{nodes[1]}/status").json
    assert status["repositories_count"] == 41
    assert status["last_successful_status_check_timestamp"] == clock.seconds(then)
    report(nodes[1], FIGURES)
    cast.root.put(f"/geo_nodes/{nodes[1]}", enabled=False)
    assert health() == (False, "Offline", "The node is disabled: nothing is copied to it.")


def test_percentages_have_two_digits():
    assert [percentage(*pair) for pair in ((0, 0), (1, 3), (2, 3), (5, 5))] == ["0.00%", "33.33%", "66.67%", "100.00%"]
