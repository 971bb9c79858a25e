"""A deleted user is gone from every answer when the deletion is answered, before any job has run."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mujina.app import build, build_services
from mujina.settings import Settings
from tests.harness.client import Raw
from tests.harness.composed import ROUTES

NAMES_OF_IDS = {"author_id", "creator_id", "user_id", "owner_id", "assignee_id"}


@pytest.fixture
def root(world, stage):
    """The administrator, of an application whose jobs nobody runs."""
    settings = Settings(data=stage.home / "world", external_url="http://mujina.test", password_kilobytes=64)
    return replace(world.cast.root, app=build(build_services(settings, world.database)))


def people_in(body: Any) -> Iterator[Any]:
    """Every username and every id of a user in an answer."""
    if isinstance(body, dict):
        yield body.get("username")
        yield from (body[name] for name in NAMES_OF_IDS & body.keys())
    for value in body.values() if isinstance(body, dict) else body if isinstance(body, list) else ():
        yield from people_in(value)


def show_everywhere(world, root, person):
    """Where a project shows a user: what the world does not have yet."""
    cast = world.cast
    person.post("/projects", name="Personal")
    here = f"/projects/{cast.private.id}"
    cast.master.put(f"{here}/issues/{cast.open}", assignee_ids=[person.id])
    cast.master.post(f"{here}/protected_branches", name="guarded", allowed_to_push=[{"user_id": person.id}])
    cast.root.post(f"/groups/{cast.team.id}/members", user_id=person.id, access_level=40)
    person.post("/projects", name="Created", namespace_id=cast.team.id)
    head = root.get(f"{here}/repository/commits").json[0]["id"]
    person.post(f"{here}/statuses/{head}", state="success", name="theirs")
    person.post("/snippets", title="x", file_name="x", content="x", visibility="public")


@pytest.mark.parametrize(
    ("engine", "name", "hard"),
    [("sqlite", "reporter", False), ("sqlite", "developer", True), ("postgres", "developer", False)],
    indirect=["engine"],
)
def test_no_answer_shows_a_deleted_user(world, root, name, hard):
    person = getattr(world.cast, name)
    show_everywhere(world, root, person)
    # The audit log keeps who changed what.
    reads = [
        route
        for route in ROUTES
        if route.verb == "GET" and not route.path.startswith("/users/:id") and "audit_events" not in route.path
    ]
    locks = f"//{world.cast.private.path}.git/info/lfs/locks"
    lfs = {"Content-Type": "application/vnd.git-lfs+json", "Accept": "application/vnd.git-lfs+json"}
    person.post(locks, Raw(body=b'{"path": "locked.bin"}', type=lfs["Content-Type"], headers=basic(person)))
    locked = root.get(locks, Raw(headers={**lfs, **basic(root)})).json["locks"]
    assert len(locked) == 1
    before = {route.path for route in reads if person.id in people_in(asked(world, root, route))}
    assert before, "the walk would show nothing"
    assert root.delete(f"/users/{person.id}", hard_delete=hard).status == 204
    shown = {
        route.path: found
        for route in reads
        if (found := {person.username, person.id} & {*people_in(asked(world, root, route))})
    }
    assert shown == {}
    assert root.get(locks, Raw(headers={**lfs, **basic(root)})).json["locks"] == []
    created = root.get("/projects", search="Created").json
    ghost = root.get("/users", username="ghost").json[0]
    assert [project["creator_id"] for project in created] == [ghost["id"]]


def basic(person):
    return {"Authorization": "Basic " + b64encode(f"{person.username}:{person.token}".encode()).decode()}


def asked(world, root, route):
    answer = world.ask(root, route, world.params(route))
    return answer.json if answer.status == 200 and answer.headers["content-type"] == "application/json" else None
