"""`mujina move-in` from Redmine."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness.running import RunningServer
from tests.moving.forge_server import ForgeServer
from tests.moving.test_pull_forges import TOKEN, move
from tests.moving.world import admin

AT, LATER = "2020-01-01T10:00:00Z", "2020-02-01T10:00:00Z"
ANNA, BEN = {"id": 4, "name": "Anna A."}, {"id": 5, "name": "Ben B."}
PROJECT: dict[str, Any] = {
    "id": 1, "name": "App", "identifier": "app", "description": "It", "status": 1, "is_public": True, "created_on": AT,
    "updated_on": LATER,
}  # fmt: skip
HERE = "/projects/here%2Fapp"


def issue(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "project": {"id": 1, "name": "App"}, "tracker": {"id": 1, "name": "Bug"}, "status": {"id": 1, "name": "New"},
        "priority": {"id": 2, "name": "Normal"}, "author": ANNA, "subject": f"Number {number}", "description": "",
        "start_date": None,
        "due_date": None, "done_ratio": 0, "is_private": False, "estimated_hours": None, "created_on": AT, "updated_on": LATER,
        "closed_on": None, **more,
    }  # fmt: skip


def answers(server: ForgeServer) -> None:
    relation = {"id": 1, "issue_id": 12, "issue_to_id": 17, "relation_type": "relates", "delay": None}
    issues = [
        issue(12, category={"id": 3, "name": "Server"}, fixed_version={"id": 6, "name": "1.0"}, assigned_to=BEN,
              description="See #17 !shot.png!", due_date="2030-02-01", estimated_hours=1.5, relations=[relation],
              attachments=[{"id": 8, "filename": "shot.png", "content_url": f"{server.url}/x"}, {"id": 9, "filename": "a b.txt"}]),
        issue(17, status={"id": 5, "name": "Closed"}, closed_on=LATER, is_private=True, relations=[relation]),
        issue(18, subject="Last"),
        {"id": "none"},
    ]  # fmt: skip
    journals = [
        {"id": 31, "user": BEN, "notes": "Indeed", "created_on": AT, "private_notes": False, "details": [
            {"property": "attr", "name": "status_id", "old_value": "1", "new_value": "5"},
            {"property": "attr", "name": "assigned_to_id", "old_value": None, "new_value": "5"},
        ]},
        {"id": 32, "user": ANNA, "notes": "Secret", "created_on": AT, "private_notes": True, "details": []},
        {"id": 33, "user": ANNA, "notes": "", "created_on": LATER, "private_notes": False, "details": [
            {"property": "attachment", "name": "9", "old_value": None, "new_value": "a b.txt"},
        ]},
    ]  # fmt: skip
    version = {"id": 6, "project": {"id": 1, "name": "App"}, "name": "1.0", "status": "open", "due_date": "2030-01-31",
               "created_on": AT, "updated_on": LATER}  # fmt: skip

    def listed(name: str, items: list[Any]) -> Any:
        """Pages as Redmine gives them: a total instead of links."""
        return lambda query: {
            name: items[(int(query.get("page", 1)) - 1) * int(query.get("limit", 25)) :][: int(query.get("limit", 25))],
            "total_count": len(items),
        }

    whole = {
        **PROJECT,
        "trackers": [{"id": 1, "name": "Bug"}, {"id": 2, "name": "Feature"}],
        "issue_categories": [{"id": 3, "name": "Server"}],
    }
    below = {
        **PROJECT,
        "id": 2,
        "name": "Part",
        "identifier": "part",
        "parent": {"id": 1, "name": "App"},
        "is_public": False,
    }
    server.answers = {
        "/projects.json": listed("projects", [PROJECT, below, {**PROJECT, "id": 3, "identifier": "other"}]),
        "/projects/app.json": {"project": PROJECT},
        "/projects/1.json": {"project": whole},
        "/projects/2.json": {"project": below},
        "/projects/1/versions.json": {
            "versions": [version, {**version, "id": 7, "project": {"id": 2, "name": "Other"}}], "total_count": 2,
        },
        "/projects/2/versions.json": {"versions": [], "total_count": 0},
        "/issue_statuses.json": {
            "issue_statuses": [{"id": 1, "name": "New", "is_closed": False}, {"id": 5, "name": "Closed", "is_closed": True}],
        },
        "/issues.json": lambda query: listed("issues", issues if query["project_id"] == "1" else [])(query),
        "/issues/12.json": {"issue": {**issues[0], "journals": journals}},
        **{f"/issues/{number}.json": {"issue": {"id": number, "journals": []}} for number in (17, 18)},
        "/users/4.json": {"user": {"id": 4, "login": "anna", "firstname": "Anna", "lastname": "A.", "mail": "anna@example.com"}},
    }  # fmt: skip
    server.files = {"/attachments/download/8/shot.png": b"a picture", "/attachments/download/9/a%20b.txt": b"a text"}


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_projects_come_with_issues_and_journals(running_server: RunningServer, tmp_path: Path):
    instance = admin(running_server)
    instance.request("POST", "/groups", path="here", name="Here", visibility="public")
    with ForgeServer("/redmine") as server:
        answers(server)
        report = move(server, running_server, tmp_path, "--project", "app", "--into", "here")
        again = move(server, running_server, tmp_path, "--project", "app", "--into", "here")
        assert {sent for path, sent in server.asked if path.startswith("/attachments")} == {TOKEN}
        tree = move(server, running_server, tmp_path, "--group", "app")
    assert {each["name"] for each in instance.request("GET", f"{HERE}/labels")} == {"Bug", "Feature", "Server"}
    issues = {each["iid"]: each for each in instance.request("GET", f"{HERE}/issues?scope=all")}
    assert {iid: each["state"] for iid, each in issues.items()} == {12: "opened", 17: "closed", 18: "opened"}
    first = issues[12]
    assert (first["author"]["username"], first["author"]["name"]) == ("anna-imported", "Anna A.")
    assert [each["name"] for each in first["assignees"]] == ["Ben B."]
    assert (sorted(first["labels"]), first["milestone"]["title"]) == (["Bug", "Server"], "1.0")
    assert (first["due_date"], first["time_stats"]["time_estimate"]) == ("2030-02-01", 5400)
    assert first["description"].startswith("See #17 ![shot.png](/uploads/")
    assert "[a b.txt](/uploads/" in first["description"]
    assert issues[17]["confidential"]
    assert [each["iid"] for each in instance.request("GET", f"{HERE}/issues/12/links")] == [17]
    notes = instance.request("GET", f"{HERE}/issues/12/notes?sort=asc")
    assert [(each["system"], each["body"]) for each in notes] == [
        (False, "Indeed"), (True, "changed status from New to Closed; changed assigned to"), (True, "attached a b.txt"),
    ]  # fmt: skip
    reasons = [each["reason"] for each in report["problems"]]
    assert "It is a private note." in reasons
    assert any(reason.startswith("Its answer does not fit") for reason in reasons)
    assert ({kind: n for kind, n in again["created"].items() if n}, again["updated"]) == ({}, {})
    assert tree["created"]["projects"] == 1, tree  # that of the project itself stays where it is
    assert instance.request("GET", "/projects/app%2Fpart")["visibility"] == "private"
