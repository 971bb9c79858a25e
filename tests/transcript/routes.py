"""Every route with its parameters, as the OpenAPI document of the recorded program has them, and values for them."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.harness.public_keys import gpg_key, ssh_key
from tests.transcript.world import World

VERBS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Route:
    verb: str
    path: str
    params: dict[str, Any]
    """Name → schema."""
    required: list[str] = field(default_factory=list[str])

    @property
    def name(self) -> str:
        return f"{self.verb} {self.path}"

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{\w+\}", "[^/]+", self.path))

    @property
    def depth(self) -> int:
        return self.path.count("/")

    @property
    def is_list(self) -> bool:
        return "per_page" in self.params

    def dump(self) -> dict[str, Any]:
        return asdict(self)


def read_routes(document: Any) -> list[Route]:
    return [
        _route(document, verb, path, operations[verb])
        for path, operations in document["paths"].items()
        for verb in VERBS
        if verb in operations
    ]


def _route(document: Any, verb: str, path: str, operation: Any) -> Route:
    parameters = [_resolved(document, each) for each in operation.get("parameters", [])]
    queries = [each for each in parameters if each["in"] == "query"]
    params = {each["name"]: each["schema"] for each in queries}
    required = [each["name"] for each in queries if each.get("required")]
    content = operation.get("requestBody", {}).get("content", {})
    for media in list(content.values())[:1]:
        schema = _resolved(document, media["schema"])
        params |= schema.get("properties", {})
        required += schema.get("required", [])
    return Route(verb.upper(), path, params, required)


def _resolved(document: Any, described: Any) -> Any:
    """The component that is meant, where the document only names one."""
    if "$ref" not in described:
        return described
    _, _, kind, name = described["$ref"].split("/")
    return document["components"][kind][name]


def fill(path: str, standing: dict[str, Any]) -> str:
    """The path with what stands at each capture; where nothing does, 1."""
    done = here = ""
    for segment in path.strip("/").split("/"):
        here += "/:" if segment.startswith("{") else f"/{segment}"
        done += f"/{standing.get(here, 1)}" if segment.startswith("{") else f"/{segment}"
    return done


def elsewhere(route: Route, world: World) -> dict[str, Any]:
    """What a route that changes or removes something points at, so that later requests find the rest as it was."""
    projects, groups, people = world.projects, world.groups, world.people
    if route.path.startswith("/projects/{id}/push_rule") or route.name in {
        "PUT /projects/{id}", "POST /projects/{id}/archive", "POST /projects/{id}/unarchive",
        "POST /projects/{id}/fork/{forked_from_id}", "DELETE /projects/{id}/fork",
    }:  # fmt: skip
        return {"/projects/:": projects["spare"]}
    special = {
        "DELETE /projects/{id}": {"/projects/:": projects["doomed"]},
        "PUT /groups/{id}": {"/groups/:": groups["spare"]},
        "DELETE /groups/{id}": {"/groups/:": groups["doomed"]},
        "POST /groups/{id}/projects/{project_id}": {"/groups/:": groups["guild"]},
        "POST /projects/{id}/mirror/pull": {"/projects/:": projects["mirrored"]},
        "PUT /users/{id}": {"/users/:": people["spare"]},
        "DELETE /users/{id}": {"/users/:": people["spare"]},
        "POST /users/{id}/block": {"/users/:": people["spare"]},
        "POST /users/{id}/unblock": {"/users/:": people["spare"]},
        "POST /projects/{id}/issues/{issue_iid}/move": {"/projects/:/issues/:": 7},
        "POST /projects/{id}/issues/{issue_iid}/subscribe": {"/projects/:/issues/:": 6},
        "PUT /projects/{id}/access_requests/{user_id}/approve": {"/projects/:": projects["public"]},
        "DELETE /projects/{id}/access_requests/{user_id}": {
            "/projects/:": projects["public"],
            "/projects/:/access_requests/:": people["candidate"],
        },
        "DELETE /user/gpg_keys/{key_id}": {"/user/gpg_keys/:": world.spares["key"]},
        "DELETE /users/{id}/gpg_keys/{key_id}": {"/users/:/gpg_keys/:": world.spares["key of a user"]},
        "DELETE /projects/{id}/wikis/{slug}": {"/projects/:/wikis/:": world.spares["page"]},
        "POST /projects/{id}/repository/tags/{tag_name}/release": {"/projects/:/repository/tags/:": "v0.1"},
        "DELETE /groups/{id}/access_requests/{user_id}": {"/groups/:/access_requests/:": people["candidate"]},
        "POST /projects/{id}/deploy_keys/{key_id}/enable": {"/projects/:": projects["spare"]},
        "POST /projects/{id}/repository/files/{file_path}": {"/projects/:/repository/files/:": "new%2Ffile.txt"},
        "POST /projects/{id}/repository/commits/{sha}/cherry_pick": {
            "/projects/:/repository/commits/:": "feature%2Fone"
        },
    }
    return special.get(route.name, {})


def minimum(route: Route, world: World, number: int) -> dict[str, Any]:
    """The least that the route asks for; `number` makes names that nothing else has."""
    least = {name: sample(route, name, world, number) for name in route.required}
    return least | {name: sample(route, name, world, number) for name in _AT_LEAST.get(route.name, ())}


_AT_LEAST = {
    "POST /projects": ("name",),
    "POST /users": ("password",),
    "POST /projects/{id}/snippets": ("code",),
    "PUT /groups/{id}/labels": ("color",),
    "PUT /projects/{id}/labels": ("color",),
    "PUT /groups/{id}/labels/{label_id}": ("color",),
    "PUT /projects/{id}/labels/{label_id}": ("color",),
    "PUT /projects/{id}/issues/{issue_iid}": ("title",),
    "PUT /projects/{id}/wikis/{slug}": ("content",),
    "PUT /projects/{id}": ("description",),
    "PUT /groups/{id}": ("description",),
    "PUT /namespaces/{id}": ("plan",),
    "PUT /application/settings": ("help_page_text",),
    "PUT /snippets/{id}": ("title",),
    "PUT /projects/{id}/snippets/{snippet_id}": ("title",),
    "PUT /projects/{id}/deploy_keys/{key_id}": ("title",),
    "POST /projects/{id}/push_rule": ("deny_delete_tag",),
    "PUT /projects/{id}/push_rule": ("member_check",),
    "PUT /broadcast_messages/{id}": ("message",),
}


def sample(route: Route, name: str, world: World, number: int) -> Any:
    """A value that is accepted, in most cases."""
    schema = route.params.get(name, {})
    fixed = _fixed(route, world, number)
    if f"{route.name} {name}" in fixed:
        return fixed[f"{route.name} {name}"]
    if "enum" in schema:
        return schema["enum"][0]
    if name in fixed and not ("color" in name and route.verb == "GET"):
        return fixed[name]
    match schema.get("format"), schema.get("type"):
        case "date", _:
            return "2030-06-07"
        case "date-time", _:
            return "2017-06-07T08:09:10Z"
        case _, "integer":
            return 1
        case _, "number":
            return 12.5
        case _, "boolean":
            return True
        case _, "array":
            return [1] if schema.get("items", {}).get("type") == "integer" else ["alpha"]
        case _, "object":
            return {"color": "red"}
        case _:
            return f"{name}-{number}"


def _fixed(route: Route, world: World, number: int) -> dict[str, Any]:
    projects, people = world.projects, world.people
    key = gpg_key("three" if "/user/" in route.path else "six") if "gpg" in route.path else ssh_key(f"key {number}")
    return {
        "DELETE /groups/{id}/labels name": "spare label", "PUT /groups/{id}/labels name": "group label",
        "DELETE /projects/{id}/labels name": "later", "PUT /projects/{id}/labels name": "bug",
        "DELETE /projects/{id}/repository/files/{file_path} branch": "master",
        "GET /projects/{id}/repository/commits path": "README.md", "GET /projects/{id}/repository/tree path": "source",
        "POST /projects/{id}/boards/{board_id}/lists label_id": world.spares["label"],
        "POST /projects/{id}/fork namespace": "spare-group", "POST /projects/{id}/fork path": f"fork-{number}",
        "POST /projects/{id}/repository/branches branch": f"branch-{number}",
        "POST /projects/{id}/repository/commits/{sha}/cherry_pick branch": "master",
        "POST /projects/{id}/repository/commits/{sha}/revert branch": "master",
        "POST /projects/{id}/repository/commits/{sha}/comments path": "README.md",
        "POST /projects/{id}/share group_id": world.groups["spare"],
        "POST /projects/{id}/issues/{issue_iid}/move to_project_id": projects["public"],
        "PUT /projects/{id}/boards/{board_id}/lists/{list_id} position": 0,
        "POST /todos/{id}/mark_as_done": 1, "POST /applications scopes": "api read_user",
        "POST /users/{user_id}/impersonation_tokens scopes": ["api"], "GET /users username": "reporter",
        "GET /groups/{id}/milestones title": "Group milestone", "GET /projects/{id}/milestones title": "First",
        "GET /user/activities from": "2017-01-01", "GET /projects/{id}/repository/compare from": "feature/one",
        "PUT /projects/{id} default_branch": "master", "POST /projects default_branch": "main",
        "GET /projects/{id}/repository/archive sha": "v1.0", "GET /projects/{id}/repository/{archive} sha": "v1.0",
        "access_level": 30, "actions": [{"action": "create", "file_path": f"made-{number}.txt", "content": "Text"}],
        "allowed_to_merge": [{"access_level": 30}], "allowed_to_push": [{"user_id": people["developer"]}],
        "assignee_id": people["developer"], "assignee_ids": [people["developer"]], "author_email": "ada@example.org",
        "author_id": people["reporter"], "branch": "master", "color": "#FF8800", "commit_message": "Change it",
        "duration": "1h 30m", "email": f"email-{number}@example.org", "encoding": "text",
        "expires_at": "2999-12-31", "ends_at": "2999-01-01T00:00:00Z", "import_url": "http://127.0.0.1:9/none.git",
        "iids[]": [1, 2], "key": key, "labels": "bug,idea", "add_labels": "later", "remove_labels": "idea",
        "level": "watch", "line": 1, "milestone": "First", "milestone_id": world.standing.get("/projects/:/milestones/:"),
        "my_reaction_emoji": "thumbsup", "name": "heart" if "award" in route.path else f"name-{number}",
        "namespace_id": world.groups["spare"], "parent_id": world.groups["spare"], "password": f"password {number}",
        "project_id": projects["private"], "query": "er", "redirect_uri": "https://example.org/back",
        "ref": "master", "ref_name": "feature/one", "scopes": ["api"], "search": "issue", "sha": world.commits[1],
        "start_branch": "master", "stage": "test", "tag_name": f"tag-{number}", "target_issue_iid": 4,
        "target_project_id": projects["private"], "target_url": "https://example.org/build", "to": "v1.0", "plan": "gold",
        "user": "reporter", "user_id": people["stranger"], "username": f"username-{number}", "value": "true",
        "website_url": "https://example.org", "last_commit_id": world.commits[0], "notification_email": "reporter@example.org",
        "repository_storage": "default", "topic[]": ["alpha"], "skip_groups[]": [world.groups["guild"]],
    }  # fmt: skip


def variants(route: Route, name: str, world: World, number: int) -> Iterator[Any]:
    """Values of one parameter: each word of an enumeration or one good value, then a wrong one."""
    schema = route.params[name]
    if "enum" in schema:
        yield from schema["enum"][: 10 if route.verb == "GET" else 3]
        yield "nonsense"
        return
    yield sample(route, name, world, number)
    match schema.get("format"), schema.get("type"):
        case (("date" | "date-time"), _):
            yield "2018-02-31"
        case _, "boolean":
            yield False
            yield "maybe"
        case _, ("integer" | "number"):
            yield "word"
        case _, "array":
            yield "word"
        case _:
            yield {"a": {"b": 1}}
