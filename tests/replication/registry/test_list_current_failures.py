"""GET /geo_nodes/current/failures on a primary; tests of secondaries are in tests/replication/sync."""


def test_a_primary_has_no_failures(cast, nodes):
    for query in ({}, {"type": "wiki"}, {"type": "repository"}, {"page": 2}):
        answer = cast.root.get("/geo_nodes/current/failures", **query)
        assert (answer.status, answer.json, answer.headers["X-Total"]) == (200, [], "0")
    answer = cast.root.get("/geo_nodes/current/failures", type="bogus")
    assert (answer.status, answer.json) == (400, {"error": "type does not have a valid value"})
