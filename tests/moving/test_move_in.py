"""`mujina move-in` from another Mujina."""

import json
import os
import time
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from mujina.testing.client import Mujina, RequestRefused
from tests.cli.command import Result, mujina
from tests.harness import fork_server
from tests.harness.running import RunningServer
from tests.moving.world import PEOPLE, PROJECT, World, add_people, admin, differences, refs, shown


def move(world: World, target: RunningServer, *flags: str, url: str = "") -> Result:
    return mujina(
        "move-in", url or world.server.url, "--data", str(target.data), "--database-url", target.database_url, *flags,
        MUJINA_MOVE_IN_TOKEN=world.server.token, MUJINA_OUTBOUND_ALLOW="127.0.0.1",
    )  # fmt: skip


def people_file(tmp_path: Path, *usernames: str) -> str:
    file = tmp_path / "people.json"
    file.write_text(json.dumps({name: name for name in (*usernames, "root")}))
    return str(file)


def test_a_moved_group_equals_the_source_object_by_object(world: World, running_server: RunningServer, tmp_path: Path):
    add_people(running_server, *PEOPLE)
    report = tmp_path / "report.json"
    flags = ("--group", "team", "--people", people_file(tmp_path, *PEOPLE), "--report", str(report))
    first = move(world, running_server, *flags)
    assert first.code == 0, first.out + first.err
    came = json.loads(report.read_text())
    assert (came["created"]["packages"], came["created"]["package files"]) == (4, 4)
    before, after = shown(world.server), shown(running_server)
    without_secrets(before)
    assert not (lines := differences(before, after)), "\n".join(lines)
    assert refs(running_server) == refs(world.server)
    check_feed_and_hooks(running_server)
    second = move(world, running_server, *flags)
    assert second.code == 0, second.err
    again = json.loads(report.read_text())
    assert ({kind: count for kind, count in again["created"].items() if count}, again["updated"]) == ({}, {})
    assert shown(running_server) == after


def check_feed_and_hooks(server: RunningServer) -> None:
    """Feeds show what came with its own dates; hooks wait for somebody; every new member is in the audit log."""
    instance = admin(server)

    def feed(rest: str) -> dict[int, str]:
        events = instance.request("GET", f"{PROJECT}/events?per_page=100&{rest}")
        return {event["target_iid"]: event["created_at"] for event in events}

    issues = instance.request("GET", f"{PROJECT}/issues?per_page=100")
    requests = instance.request("GET", f"{PROJECT}/merge_requests?state=all")
    assert feed("target_type=issue&action=created") == {each["iid"]: each["created_at"] for each in issues}
    merged = {each["iid"]: each["merged_at"] for each in requests if each["state"] == "merged"}
    assert feed("target_type=merge_request&action=merged") == merged
    notes = [note for each in issues for note in instance.request("GET", f"{PROJECT}/issues/{each['iid']}/notes")]
    written = {note["id"]: note["created_at"] for note in notes if not note["system"]}
    assert written.items() <= feed("action=commented").items()
    assert {hook["alert_status"] for hook in instance.request("GET", f"{PROJECT}/hooks")} == {"disabled"}
    log = instance.request("GET", f"{PROJECT}/audit_events?per_page=100")
    added = [each for each in log if each["details"].get("add") == "user_access"]
    assert {each["details"]["target_details"] for each in added} >= set(PEOPLE)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_later_run_brings_what_changed(world: World, running_server: RunningServer, tmp_path: Path):
    add_people(running_server, *PEOPLE)
    flags = ("--group", "team", "--people", people_file(tmp_path, *PEOPLE))
    assert move(world, running_server, *flags).code == 0
    issue = world.ask("POST", f"{PROJECT}/issues", "ben", title="Later")["iid"]
    world.ask("PUT", f"{PROJECT}/issues/1", "anna", labels="from above", state_event="close")
    world.ask("PUT", f"{PROJECT}/issues/1", "anna", state_event="reopen")
    world.ask("POST", f"{PROJECT}/issues/1/notes", "ben", body="Once more")
    world.ask("PUT", f"{PROJECT}/issues/1", "anna", labels="bug,from above")
    world.ask("POST", f"/groups/{world.group}/-/epics/1/notes", "ben", body="And this")
    package = world.ask("GET", f"{PROJECT}/packages?package_type=npm")[0]["id"]
    world.ask("POST", f"{PROJECT}/packages/{package}/yank", reason="Old")
    world.commit("master", f"later-{issue}.md", "later\n")
    assert move(world, running_server, *flags).code == 0
    before, after = shown(world.server), shown(running_server)
    without_secrets(before)
    assert not (lines := differences(before, after)), "\n".join(lines)
    assert refs(running_server) == refs(world.server)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_people_without_a_user_stay_visible_and_can_be_claimed(
    world: World, running_server: RunningServer, tmp_path: Path
):
    add_people(running_server, "anna")  # a name that matches, and no more
    moved = move(world, running_server, "--project", "team/app")
    assert moved.code == 0, moved.out + moved.err
    instance = admin(running_server)
    issue = instance.request("GET", f"{PROJECT}/issues/1")
    assert (issue["author"]["username"], issue["author"]["name"]) == ("anna-imported", "Anna")
    assert [each["username"] for each in issue["assignees"]] == ["ben-imported"]
    assert instance.request("GET", f"{PROJECT}/members") == []
    assert "anna-imported" not in {user["username"] for user in instance.request("GET", "/users?per_page=100")}
    user_id = issue["author"]["id"]
    with pytest.raises(RequestRefused, match="400"):
        instance.request("POST", f"{PROJECT}/members", user_id=user_id, access_level=30)
    place = ("--data", str(running_server.data), "--database-url", running_server.database_url)
    assert "anna-imported" in mujina("imported", "list", *place).out
    assert "no imported name" in mujina("imported", "claim", "nobody", "anna", *place).error
    claimed = mujina("imported", "claim", "anna-imported", "anna", *place)
    assert (claimed.code, claimed.out) == (0, "What anna-imported wrote is now anna's.\n"), claimed.err
    assert instance.request("GET", f"{PROJECT}/issues/1")["author"]["username"] == "anna"
    assert instance.request("GET", f"{PROJECT}/merge_requests/2")["merged_by"]["username"] == "anna"
    feed = instance.request("GET", f"{PROJECT}/events?target_type=issue&sort=asc")
    assert (feed[0]["target_iid"], feed[0]["author_username"]) == (1, "anna")
    assert instance.request("GET", f"{PROJECT}/members") == []
    assert move(world, running_server, "--project", "team/app").code == 0
    assert "anna-imported" not in mujina("imported", "list", *place).out


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_dry_run_counts_and_writes_the_map_of_people(world: World, running_server: RunningServer, tmp_path: Path):
    instance = admin(running_server)
    add_people(running_server, "ben")
    instance.request(
        "POST", "/users", username="annie", name="Annie", email="anna@example.com", password="correct horse battery",
        skip_confirmation=True,
    )  # fmt: skip
    file, report = tmp_path / "people.json", tmp_path / "report.json"
    result = move(world, running_server, "--group", "team", "--dry-run", "--people", str(file), "--report", str(report))
    assert result.code == 0, result.out + result.err
    names = json.loads(file.read_text())
    assert (names["anna"], names["ben"]) == ("annie", "ben")
    found = json.loads(report.read_text())["found"]
    issues = len(world.ask("GET", f"{PROJECT}/issues?per_page=100"))
    assert (found["projects"], found["issues"], found["merge_requests"], found["releases"]) == (1, issues, 2, 1)
    assert (found["packages"], found["epics"]) == (4, 1)
    assert instance.request("GET", "/projects") == []
    assert move(world, running_server, "--group", "team", "--people", str(file), "--into", "elsewhere").code == 0
    instance.request("POST", "/groups", path="elsewhere", name="Elsewhere", visibility="internal")
    assert move(world, running_server, "--group", "team", "--people", str(file), "--into", "elsewhere").code == 0
    issue = instance.request("GET", "/projects/elsewhere%2Fteam%2Fapp/issues/1")
    assert issue["author"]["username"] == "annie"
    members = instance.request("GET", "/projects/elsewhere%2Fteam%2Fapp/members")
    assert {member["username"] for member in members} == {"annie", "ben"}


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_dry_run_estimates_names_who_only_commented_and_says_what_does_not_fit(
    world: World, running_server: RunningServer, tmp_path: Path
):
    apart = f"apart-{token_hex(4)}"
    group = world.ask("POST", "/groups", path=apart, name=apart, visibility="internal")["id"]
    here = f"/projects/{world.ask('POST', '/projects', path='only', name='Only', namespace_id=group)['id']}"
    world.ask("PUT", here, visibility="internal")
    world.ask("POST", f"{here}/issues", title="Short", description="x" * 10_000)
    world.ask("POST", f"{here}/issues/1/notes", "ben", body="x" * 10_000)
    file, report = tmp_path / "people.json", tmp_path / "report.json"
    flags = ("--group", apart, "--dry-run", "--people", str(file), "--report", str(report))
    result = move(world, running_server, *flags, "--into", "nowhere")
    assert result.code == 0, result.err
    assert "The move needs about 1 minutes and 0 MB." in result.out
    assert set(json.loads(file.read_text())) == {"root", "ben"}
    found = json.loads(report.read_text())
    reasons = [problem["reason"] for problem in found["problems"]]
    assert [reason[:33] for reason in reasons] == ["There is no group or user nowhere"] * 2
    estimate = found["estimate"]
    assert (found["found"]["notes"], estimate["requests"], estimate["unknown_sizes"]) == (1, 4, 0)
    assert 40_000 < estimate["database_bytes"] < 60_000
    assert admin(running_server).request("GET", "/groups") == []


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_move_that_is_killed_is_continued(world: World, running_server: RunningServer, tmp_path: Path):
    add_people(running_server, *PEOPLE)
    people = people_file(tmp_path, *PEOPLE)
    instance = admin(running_server)
    arguments = ("move-in", world.server.url, "--group", "team", "--people", people)
    place = ("--data", str(running_server.data), "--database-url", running_server.database_url)
    environment = os.environ | {"MUJINA_MOVE_IN_TOKEN": world.server.token, "MUJINA_OUTBOUND_ALLOW": "127.0.0.1"}
    for path in ("/groups/team", PROJECT, f"{PROJECT}/issues/1", f"{PROJECT}/merge_requests/1"):
        with (tmp_path / "out").open("w") as out:
            program = fork_server.start("mujina", *arguments, *place, environment=environment, out=out, err=out)
        while program.poll() is None and _status(instance, path) == 404:
            time.sleep(0.02)
        program.kill()
        program.wait()
    assert move(world, running_server, "--group", "team", "--people", people).code == 0
    before, after = shown(world.server), shown(running_server)
    without_secrets(before)
    assert not (lines := differences(before, after)), "\n".join(lines)
    assert refs(running_server) == refs(world.server)


def without_secrets(found: dict[str, Any]) -> None:
    """Values of variables are secrets of the source, which do not come."""
    for name in ("variables", "/groups/team variables"):
        found[name][0]["value"] = ""


def _status(instance: Mujina, path: str) -> int:
    try:
        instance.request("GET", path)
    except RequestRefused as error:
        return error.status
    return 200
