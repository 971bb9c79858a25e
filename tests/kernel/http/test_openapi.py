"""The OpenAPI document describes what is served: parameters, bodies, responses, and an example of each."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest

from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.routing import Route
from mujina.kernel.openapi.document import document
from mujina.kernel.openapi.schemas import bodies_of
from tests.harness.composed import ROUTES


@cache
def described() -> dict[str, Any]:
    return document(ROUTES, "1")


def components(kind: str) -> dict[str, Any]:
    return described()["components"][kind]


@cache
def registry() -> jsonschema_rs.Registry:
    """The components, read once for all validators."""
    return jsonschema_rs.Registry([("urn:api", {"components": described()["components"]})])


def validator(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """The validator of a schema that refers to the components of the document."""
    absolute = json.loads(json.dumps(schema).replace('"#/components/', '"urn:api#/components/'))
    return jsonschema_rs.Draft202012Validator(absolute, registry=registry())


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, verbs in described()["paths"].items():
        for verb, operation in verbs.items():
            yield f"{verb.upper()} {path}", operation


def successes() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, operation in operations():
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                yield name, status, response


def test_the_document_and_its_page_need_no_token(cast):
    assert cast.anonymous.get("/openapi.json").json["openapi"] == "3.1.0"
    page = cast.anonymous.get("/docs")
    assert page.headers["Content-Type"].startswith("text/html")
    assert "http" not in page.text.replace("http-equiv", "")


def test_the_document_is_valid_openapi():
    assert not list(jsonschema_rs.Draft202012Validator(_OPENAPI).iter_errors(described()))
    for schema in components("schemas").values():
        jsonschema_rs.meta.validate(schema)
    validator({"allOf": [{"$ref": f"#/components/schemas/{name}"} for name in components("schemas")]})


def test_every_reference_leads_somewhere():
    for reference in set(re.findall(r"'\$ref': '#/components/([^']+)'", str(described()))):
        kind, _, name = reference.partition("/")
        assert name in components(kind)
        assert re.fullmatch(r"[\w.-]+", name)


def test_every_operation_has_its_own_id_a_tag_and_a_description():
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(set(ids)) == len(ids)
    tags = {tag["name"] for tag in described()["tags"]}
    for name, operation in operations():
        assert operation["description"].endswith("."), name
        assert re.match(r"[A-Z]", operation["description"]), name
        assert set(operation["tags"]) <= tags


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("GET /groups/{id}/issues", "List the issues of a group. The answer is one page of the list."),
        ("POST /projects/{id}/issues/{noteable_id}/notes", "Create a note for an issue."),
        ("POST /projects/{id}/labels", "Create a label in a project."),
        ("DELETE /projects/{id}/labels", "Delete a label of a project by name."),
        ("POST /users", "Create a user. Only administrators may do this."),
        ("GET /user/gpg_keys", "List your own GPG keys. The answer is one page of the list."),
    ],
)
def test_an_operation_is_described_in_a_sentence(name, description):
    assert dict(operations())[name]["description"] == description


def test_a_body_is_json_a_form_or_multipart():
    edit = dict(operations())["PUT /projects/{id}/issues/{issue_iid}"]["requestBody"]
    assert [*edit["content"]] == ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]
    assert edit["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/EditIssue"}
    assert components("schemas")["EditIssue"]["properties"]["state_event"] == {"enum": ["close", "reopen"]}
    assert edit["content"]["multipart/form-data"]["encoding"]["assignee_ids"] == {"style": "form", "explode": False}


def test_a_file_is_sent_as_multipart_only():
    content = dict(operations())["PUT /projects/{id}"]["requestBody"]["content"]
    fields = {kind: components("schemas")[each["schema"]["$ref"].rpartition("/")[2]] for kind, each in content.items()}
    assert fields["multipart/form-data"]["properties"]["avatar"]["format"] == "binary"
    assert "avatar" not in fields["application/json"]["properties"]
    upload = dict(operations())["POST /projects/{id}/uploads"]["requestBody"]
    assert [*upload["content"]] == ["multipart/form-data"]


def test_deleting_takes_its_parameters_from_the_query_or_the_body():
    delete = dict(operations())["DELETE /projects/{id}/labels"]
    assert [parameter["name"] for parameter in delete["parameters"] if parameter.get("in") == "query"] == ["name"]
    assert delete["requestBody"]["required"] is False
    assert "application/json" in delete["requestBody"]["content"]


def test_a_list_is_an_array_with_the_headers_of_pages():
    listed = dict(operations())["GET /projects/{id}/labels"]["responses"]["200"]
    schema = listed["content"]["application/json"]["schema"]
    assert schema == {"type": "array", "items": {"$ref": "#/components/schemas/Label"}}
    assert {"Link", "X-Total", "X-Next-Page"} <= listed["headers"].keys()


def test_only_what_may_be_left_out_is_optional():
    issue = components("schemas")["Issue"]
    left_out = {"weight", "time_stats", "upvotes", "downvotes", "subscribed", "_links"}
    assert issue["properties"].keys() - set(issue["required"]) == left_out


def test_an_answer_without_a_body_has_no_content():
    responses = dict(operations())["DELETE /projects/{id}/issues/{issue_iid}"]["responses"]
    assert "content" not in responses["204"]
    for name, status, response in successes():
        assert ("content" in response) == (status != "204"), name


def test_every_example_is_allowed_by_its_schema():
    contents = [
        (name, content)
        for name, operation in operations()
        for holder in (operation.get("requestBody", {}), *operation["responses"].values())
        for content in holder.get("content", {}).values()
        if "examples" in content
    ]
    assert len(contents) > len(ROUTES)
    for name, content in contents:
        example = components("examples")[content["examples"]["example"]["$ref"].rpartition("/")[2]]["value"]
        assert [str(error) for error in validator(content["schema"]).iter_errors(example)] == [], name


def test_examples_look_like_real_values():
    issue = components("examples")["Issue"]["value"]
    assert (issue["id"], issue["title"], issue["created_at"]) == (
        42,
        "Fix the sign-in page",
        "2026-02-03T04:05:06.789Z",
    )
    assert issue["author"]["username"] == "ada"
    assert components("examples")["Issue.list"]["value"] == [issue]


def test_responses_match_the_schema_of_their_route(cast):
    project = cast.guest.post("/projects", path="described").json
    cast.guest.post(f"/projects/{project['id']}/issues", title="A title")
    for name, path in (
        ("GET /projects/{id}", f"/projects/{project['id']}"),
        ("GET /projects/{id}/issues", f"/projects/{project['id']}/issues"),
        ("GET /projects/{id}/issues/{issue_iid}", f"/projects/{project['id']}/issues/1"),
    ):
        schema = dict(operations())[name]["responses"]["200"]["content"]["application/json"]["schema"]
        assert [str(error) for error in validator(schema).iter_errors(cast.guest.get(path).json)] == []


def _untyped(route: Route) -> bool:
    return route.returns is not Response and any(body is Any or body == list[Any] for body in bodies_of(route.returns))


def test_every_handler_says_what_it_answers():
    assert [f"{route.verb} {route.path}" for route in ROUTES if _untyped(route)] == []


_OPENAPI = {
    "type": "object",
    "required": ["openapi", "info", "paths", "components"],
    "additionalProperties": False,
    "properties": {
        "openapi": {"pattern": r"^3\.1\.\d+$"},
        "info": {"required": ["title", "version"]},
        "servers": {"items": {"required": ["url"]}},
        "tags": {"items": {"required": ["name", "description"], "additionalProperties": False,
                           "properties": {"name": {"type": "string"}, "description": {"type": "string"}}}},
        "paths": {
            "propertyNames": {"pattern": "^/"},
            "additionalProperties": {
                "propertyNames": {"enum": ["get", "put", "post", "delete", "patch"]},
                "additionalProperties": {"$ref": "#/$defs/operation"},
            },
        },
        "components": {"propertyNames": {"enum": ["schemas", "parameters", "responses", "examples", "headers", "securitySchemes"]}},
    },
    "$defs": {
        "operation": {
            "required": ["operationId", "responses"],
            "additionalProperties": False,
            "properties": {
                "operationId": {"pattern": r"^[\w-]+$"},
                "summary": {"type": "string"},
                "description": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "security": {"type": "array"},
                "parameters": {"type": "array", "items": {"$ref": "#/$defs/parameter"}},
                "requestBody": {
                    "required": ["content"],
                    "additionalProperties": False,
                    "properties": {"required": {"type": "boolean"}, "content": {"$ref": "#/$defs/content"}},
                },
                "responses": {
                    "propertyNames": {"pattern": r"^[1-5]\d\d$|^default$"},
                    "additionalProperties": {
                        "oneOf": [{"required": ["$ref"]}, {"required": ["description"]}],
                        "properties": {"content": {"$ref": "#/$defs/content"}},
                    },
                },
            },
        },
        "parameter": {
            "oneOf": [{"required": ["$ref"]}, {"required": ["name", "in", "schema"]}],
            "properties": {"in": {"enum": ["query", "path", "header", "cookie"]}},
            "if": {"properties": {"in": {"const": "path"}}, "required": ["in"]},
            "then": {"properties": {"required": {"const": True}}, "required": ["required"]},
        },
        "content": {
            "additionalProperties": {
                "required": ["schema"],
                "additionalProperties": False,
                "properties": {"schema": {"type": "object"}, "examples": {"type": "object"}, "encoding": {}},
            },
        },
    },
}  # fmt: skip
"""What this document uses of the specification of OpenAPI 3.1; `tests/clients` has a generator read the whole."""
