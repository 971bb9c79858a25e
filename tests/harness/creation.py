"""Groups, projects and users created through the API."""

from dataclasses import replace
from typing import Any

from mujina.accounts.credentials.operations import create_token
from mujina.kernel.permissions.actor import SYSTEM
from tests.harness.cast import Cast, Person
from tests.harness.client import Client


def make_group(who: Client, path: str, **params: Any) -> dict[str, Any]:
    """A new group named like its path; private by default."""
    answer = who.ask("POST", "/groups", params={"name": path, "path": path} | params)
    assert answer.status == 201, answer
    return answer.json


def make_project(who: Client, name: str, **params: Any) -> dict[str, Any]:
    answer = who.ask("POST", "/projects", params={"name": name} | params)
    assert answer.status == 201, answer
    return answer.json


def chain(who: Client, *paths: str, **params: Any) -> list[dict[str, Any]]:
    """Groups, each inside the one before."""
    made: list[dict[str, Any]] = []
    for path in paths:
        made.append(make_group(who, path, **params | ({"parent_id": made[-1]["id"]} if made else {})))
    return made


def paths(listed: Any) -> list[str]:
    return [each["full_path"] for each in listed]


def new_user(cast: Cast, username: str, **params: Any) -> Person:
    """A new user with a token and without any membership."""
    made = cast.root.post(
        "/users", email=f"{username}@example.org", username=username, name=username, reset_password=True, **params
    )
    assert made.status == 201, made
    token = cast.transact(lambda tx: create_token(tx, SYSTEM, made.json["id"], "tests", ["api"]))
    return replace(cast.stranger, token=token, name=username, id=made.json["id"], username=username)


def drain(cast: Cast) -> None:
    """Run the jobs that are due."""
    app: Any = cast.root.app
    while not hasattr(app, "_works"):
        app = app._application
    cast.root.loop.run_until_complete(app._works[0].drain())
