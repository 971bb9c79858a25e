"""/geo_nodes: list, show, edit and repair."""

from mujina.kernel.permissions.actor import SYSTEM
from mujina.replication.nodes import operations
from tests.harness.replication_nodes import PRIMARY, SECONDARY, THIRD

KEYS = ["id", "url", "primary", "enabled", "current", "files_max_capacity", "repos_max_capacity", "clone_protocol"]
MISSING = {"message": "404 GeoNode Not Found"}


def test_an_instance_without_nodes_is_a_primary_alone(cast):
    answer = cast.root.get("/geo_nodes")
    [node] = answer.json
    assert answer.headers["X-Total"] == "1"
    assert list(node) == KEYS
    assert node["url"].endswith("/")
    assert (node["primary"], node["enabled"], node["current"], node["clone_protocol"]) == (True, True, True, "http")
    assert cast.root.get(f"/geo_nodes/{node['id']}").json == node
    assert cast.root.get("/geo_nodes/99").json == MISSING
    assert cast.root.get("/geo_nodes/abc").json == {"error": "id is invalid"}
    assert cast.root.get("/geo_nodes", page=2).json == []
    for repair in (cast.root.put, cast.root.post):
        assert repair(f"/geo_nodes/{node['id']}/repair").json == node
    answer = cast.root.put(f"/geo_nodes/{node['id']}", url="nonsense")
    assert (answer.status, answer.json) == (403, {"message": "403 Forbidden - Primary node cannot be edited"})
    assert cast.root.post("/geo_nodes").status == 405
    assert cast.root.delete(f"/geo_nodes/{node['id']}").status == 405


def test_only_administrators_see_nodes(cast):
    for verb, path in (
        ("get", ""), ("get", "/1"), ("get", "/999"), ("put", "/1"), ("put", "/999"), ("put", "/1/repair"),
        ("post", "/999/repair"), ("get", "/status"), ("get", "/1/status"), ("get", "/999/status"),
        ("get", "/current/failures"),
    ):  # fmt: skip
        for who, status, text in ((cast.anonymous, 401, "401 Unauthorized"), (cast.guest, 403, "403 Forbidden")):
            answer = getattr(who, verb)(f"/geo_nodes{path}")
            assert (answer.status, answer.json) == (status, {"message": text}), (verb, path)


def test_nodes_are_listed_by_id(cast, nodes):
    found = cast.root.get("/geo_nodes").json
    assert [(node["id"], node["url"], node["primary"], node["current"]) for node in found] == [
        (nodes[0], PRIMARY, True, True), (nodes[1], SECONDARY, False, False),
        (nodes[2], THIRD, False, False),
    ]  # fmt: skip
    second = cast.root.get("/geo_nodes", per_page=2, page=2)
    assert ([node["id"] for node in second.json], second.headers["X-Total"]) == ([nodes[2]], "3")
    assert cast.root.get(f"/geo_nodes/{nodes[1]}").json == found[1]


def test_a_lower_edition_has_the_primary_alone(cast, nodes, set_edition):
    set_edition("core")
    assert [node["id"] for node in cast.root.get("/geo_nodes").json] == nodes[:1]
    assert cast.root.get(f"/geo_nodes/{nodes[1]}").json == MISSING
    assert cast.root.put(f"/geo_nodes/{nodes[1]}", enabled=False).json == MISSING
    set_edition("standard")
    assert len(cast.root.get("/geo_nodes").json) == 3


def test_a_secondary_is_edited(cast, nodes):
    place = f"/geo_nodes/{nodes[1]}"
    before = cast.root.get(place).json
    after = cast.root.put(place, url="https://Elsewhere.example", enabled=False, files_max_capacity=3).json
    assert after == before | {"url": "https://Elsewhere.example/", "enabled": False, "files_max_capacity": 3}
    assert cast.root.put(place, repos_max_capacity=7, enabled="").json == after | {"repos_max_capacity": 7}
    assert cast.root.put(place).status == 200


def test_edits_that_are_refused_change_nothing(cast, nodes):
    place = f"/geo_nodes/{nodes[1]}"
    before = cast.root.get(place).json
    for params, message in (
        ({"url": "ftp://host.example"}, {"url": ["scheme must be http or https"]}),
        ({"url": "host.example"}, {"url": ["scheme must be http or https"]}),
        ({"url": "http://"}, {"url": ["is invalid"]}),
        ({"url": "http://[::"}, {"url": ["is invalid"]}),
        ({"url": "http://host:99999"}, {"url": ["is invalid"]}),
        ({"url": "http://user@host.example/"}, {"url": ["is invalid"]}),
        ({"url": "http://host.example/?a"}, {"url": ["is invalid"]}),
        ({"url": ""}, {"url": ["can't be blank"]}),
        ({"url": "x" * 300}, {"url": ["is too long (maximum is 255 characters)"]}),
        ({"url": "HTTP://THIRD.example/", "files_max_capacity": 5}, {"url": ["has already been taken"]}),
        ({"url": PRIMARY.upper()}, {"base": ["Current node must be the primary node or you will be locking yourself out"]}),
        ({"files_max_capacity": 0}, {"files_max_capacity": ["must be greater than 0"]}),
        ({"repos_max_capacity": -1}, {"repos_max_capacity": ["must be greater than 0"]}),
    ):  # fmt: skip
        answer = cast.root.put(place, **params)
        assert (answer.status, answer.json) == (400, {"message": message}), params
    assert cast.root.put(place, repos_max_capacity="many").json == {"error": "repos_max_capacity is invalid"}
    assert cast.root.get(place).json == before


def test_repair_restores_the_application_by_which_users_sign_in(cast, nodes, in_transaction):
    async def applications(tx):
        return await tx.rows(tuple[str, str], "SELECT name, redirect_uris FROM oauth_applications ORDER BY id")

    async def remove(tx):
        await tx.run("DELETE FROM oauth_applications WHERE name = :name", name=f"Geo node: {SECONDARY}")

    assert (f"Geo node: {SECONDARY}", f"{SECONDARY}oauth/geo/callback") in in_transaction(applications)
    in_transaction(remove)
    before = len(in_transaction(applications))
    for repair in (cast.root.post, cast.root.put):
        assert repair(f"/geo_nodes/{nodes[1]}/repair").json == cast.root.get(f"/geo_nodes/{nodes[1]}").json
        assert len(in_transaction(applications)) == before + 1
    cast.root.put(f"/geo_nodes/{nodes[1]}", url="https://new.example")
    assert ("Geo node: https://new.example/", "https://new.example/oauth/geo/callback") in in_transaction(applications)
    assert cast.root.put("/geo_nodes/99/repair").json == MISSING


def test_a_promotion_that_was_interrupted_is_finished_by_another(cast, nodes, in_transaction):
    assert in_transaction(operations.promote, SYSTEM, nodes[1]) == PRIMARY
    assert in_transaction(operations.promote, SYSTEM, nodes[1]) == ""
    found = cast.root.get("/geo_nodes").json
    assert [(node["id"], node["primary"]) for node in found] == [(nodes[1], True), (nodes[2], False)]
