"""What every answer carries, and how paths and verbs are met."""

import pytest

from tests.harness.client import Raw


def test_the_type_is_exactly_json(cast):
    for answer in (
        cast.root.get("/version"),
        cast.root.get("/nope"),
        cast.root.get("/projects/0"),
        cast.anonymous.get("/user"),
    ):
        assert answer.headers["Content-Type"] == "application/json"


def test_every_answer_is_numbered_timed_and_guarded(cast):
    answer = cast.root.get("/nope")
    assert len(answer.headers["X-Request-Id"]) == 36
    assert float(answer.headers["X-Runtime"]) >= 0
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"


def test_a_request_id_is_echoed_without_what_is_unsafe(cast):
    answer = cast.root.get("/version", Raw(headers={"X-Request-Id": "abc-123<script>" + "x" * 400}))
    assert answer.headers["X-Request-Id"] == ("abc-123script" + "x" * 400)[:255]


def test_a_response_that_the_client_has_is_not_sent_again(cast):
    first = cast.root.get("/user")
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    again = cast.root.get("/user", Raw(headers={"If-None-Match": f'"other", {tag}'}))
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    assert cast.root.get("/user", Raw(headers={"If-None-Match": tag.removeprefix("W/")})).status == 304
    assert cast.root.get("/user", Raw(headers={"If-None-Match": 'W/"other"'})).status == 200


def test_head_is_get_without_the_body(cast):
    get, head = cast.root.get("/projects"), cast.root.head("/projects")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["X-Total"] == get.headers["X-Total"]
    assert head.headers["Content-Length"] == get.headers["Content-Length"]


def test_options_says_what_is_allowed(cast):
    answer = cast.anonymous.options("/projects", Raw(headers={"Origin": "https://elsewhere.example"}))
    assert (answer.status, answer.body) == (204, b"")
    assert {"GET", "POST", "HEAD", "OPTIONS"} == set(answer.headers["Allow"].split(", "))
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_another_origin_may_read_the_headers_of_pages(cast):
    answer = cast.root.get("/projects", Raw(headers={"Origin": "https://elsewhere.example"}))
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "X-Total" in answer.headers["Access-Control-Expose-Headers"]
    assert answer.headers["Vary"] == "Origin"


def test_an_unknown_path_and_a_wrong_verb(cast):
    unknown = cast.root.get("/nope")
    assert (unknown.status, unknown.json) == (404, {"error": "404 Not Found"})
    wrong = cast.root.delete("/version")
    assert (wrong.status, wrong.json) == (405, {"error": "405 Method Not Allowed"})
    assert "GET" in wrong.headers["Allow"]


@pytest.mark.parametrize("path", ["//api/v4//version/", "//api//v4/version//", "//api/v4/version"])
def test_slashes_are_forgiven(cast, path):
    assert cast.root.get(path).status == 200


def test_dots_arrive_raw_or_encoded(cast):
    project = cast.guest.post("/projects", path="dotted.name").json
    username = cast.guest.username
    assert cast.guest.get(f"/projects/{username}%2Fdotted.name").json["id"] == project["id"]
    assert cast.guest.get(f"/projects/{username}%2Fdotted%2Ename").json["id"] == project["id"]


def test_the_version_is_the_familys_and_ours_stands_beside_it(cast):
    answer = cast.guest.get("/version")
    assert answer.json["version"] == "10.5.0-ee"
    assert answer.headers["X-Mujina-Version"]
    assert cast.anonymous.get("/version").status == 401


def test_clients_of_graphql_learn_that_it_is_not_served(cast):
    answer = cast.root.post("//api/graphql", query="{ currentUser { id } }")
    assert (answer.status, answer.json["errors"]) == (404, [{"message": "GraphQL is not served by this instance"}])
