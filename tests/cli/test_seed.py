"""`mujina seed`: a file describes what an instance is to have."""

import json
import time
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from mujina.integrations.hooks.params import ProjectHookChange
from mujina.kernel import clock
from mujina.seeds import operations
from mujina.testing.client import Mujina
from tests.cli.command import mujina
from tests.harness.running import RunningServer
from tests.testing.test_reset import WORLD


def _seed(server: RunningServer, file: Path):
    return mujina("seed", str(file), "--data", str(server.data), "--database-url", server.database_url)


def test_a_file_is_seeded_once_into_any_instance(running_server: RunningServer, tmp_path: Path):
    file = tmp_path / "world.yaml"
    file.write_text(yaml.safe_dump(WORLD))
    instance = Mujina(running_server.url, running_server.token)
    seen = []
    for _ in range(2):
        result = _seed(running_server, file)
        assert (result.code, result.out) == (0, "There are 2 users, 1 groups and 1 projects of the file.\n"), result.err
        project = "/projects/team%2Fapp"
        paths = ("/users", "/groups", "/projects", f"{project}/members", f"{project}/issues", f"{project}/hooks")
        paths += (f"{project}/merge_requests", f"{project}/repository/commits?all=true")
        seen.append([sorted(each["id"] for each in instance.request("GET", path)) for path in paths])
    assert seen[0] == seen[1]
    assert [
        token for token in instance.request("GET", "/personal_access_tokens?state=active") if "seed" in token["name"]
    ] == []
    author = instance.request("GET", "/projects/team%2Fapp/issues/1")["author"]["username"]
    assert author == "bob"


REFUSED = {
    "users: [": "describes no world",
    "users: 7": "describes no world: Expected `array`, got `int` - at `$.users`",
    "colour: red": "Object contains unknown field `colour`",
    "projects: [{path: nobody/app}]": "there is no user or group nobody",
    "projects: [{path: app}]": "write `user/app` or `group/app`",
    "projects: [{path: root/app, days_ago: .inf}]": "Expected `float` <= 18250.0",
    "projects: [{path: root/app, days_ago: .nan}]": "Expected `float` >= 0.0",
    "[" * 1_000: "it is nested too deeply",
    "users: !!bool sometimes": "a value does not fit its tag",
    r'projects: [{path: "two\nlines/app"}]': "there is no user or group two lines",
    r'users: [{username: "\ud800"}]': "describes no world",
    "groups: [{path: team, members: {nobody: owner}}]": "there is no user nobody",
}


def test_a_file_with_an_error_is_refused_with_its_reason(running_server: RunningServer, tmp_path: Path):
    file = tmp_path / "world.yaml"
    for text, message in REFUSED.items():
        file.write_text(text)
        assert message in _seed(running_server, file).error


def test_names_in_another_case_and_outer_blanks_are_those_that_exist(running_server: RunningServer, tmp_path: Path):
    file = tmp_path / "world.yaml"
    for ann, team, bob in (("ann", "team", "bob"), ("Ann", "TEAM", "Bob")):
        world = {
            "users": [{"username": ann}, {"username": bob}],
            "groups": [{"path": team, "members": {bob: "owner"}}],
            "projects": [
                {
                    "path": f"{team}/app",
                    "members": {ann: "developer"},
                    "labels": {" bug ": "#d9534f"},
                    "milestones": [" 1.0 "],
                    "issues": [{"title": " lead ", "milestone": " 1.0 ", "author": ann}],
                }
            ],
        }
        file.write_text(yaml.safe_dump(world))
        assert _seed(running_server, file).code == 0
    instance = Mujina(running_server.url, running_server.token)
    assert [user["username"] for user in instance.request("GET", "/users")] == ["bob", "ann", "root"]
    [issue] = instance.request("GET", "/projects/team%2Fapp/issues")
    assert (issue["title"], issue["milestone"]["title"]) == ("lead", "1.0")


def test_every_page_of_a_list_is_read(running_server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(operations, "PAGE_SIZE", 1)
    issues = [{"title": f"Rain {number}", "notes": ["Again", "Again"]} for number in range(3)]
    world = {
        "users": [{"username": "ann"}, {"username": "bob"}, {"username": "cat"}],
        "groups": [{"path": "team", "members": {"ann": "owner", "bob": "guest", "cat": "guest"}}],
        "projects": [
            {
                "path": "team/app",
                "files": {"a": "a"},
                "commits": [{"message": "Add b", "files": {"b": "b"}}],
                "tags": {"v1": "master", "v2": "master"},
                "releases": {"v1": "First", "v2": "Second"},
                "labels": {"bug": "#d9534f", "docs": "#d9534f"},
                "milestones": ["1.0", "1.1"],
                "variables": {"A_KEY": "first", "B_KEY": "second"},
                "hooks": [{"url": f"http://hooks.test/{number}"} for number in range(2)],
                "issues": [*issues, {"title": "Rain"}],
            }
        ],
    }
    file = tmp_path / "world.yaml"
    file.write_text(yaml.safe_dump(world))
    for _ in range(2):
        assert _seed(running_server, file).code == 0
    instance = Mujina(running_server.url, running_server.token)
    sizes = {"labels": 2, "milestones": 2, "releases": 2, "variables": 2, "hooks": 2, "issues": 4, "issues/1/notes": 2}
    for name, size in {**sizes, "repository/tags": 2, "repository/commits": 2}.items():
        assert len(instance.request("GET", f"/projects/team%2Fapp/{name}")) == size, name


def test_a_token_of_another_run_stays(running_server: RunningServer, tmp_path: Path):
    instance = Mujina(running_server.url, running_server.token)
    other = instance.request("POST", "/users/1/impersonation_tokens", name="mujina seed", scopes=["api"])["token"]
    file = tmp_path / "world.yaml"
    file.write_text("users: [{username: ann}]")
    assert _seed(running_server, file).code == 0
    assert instance.request("GET", "/user", token=other)["username"] == "root"


def _interrupted(**authors: str) -> str:
    """A description of which the parts by these authors are refused unless the users exist."""
    by = dict.fromkeys(("commit", "note", "review"), "root") | authors
    app = {
        "path": "root/app",
        "files": {"a": "a"},
        "commits": [
            {"message": "Add b", "branch": "f", "files": {"b": "b"}},
            {"message": "Change b", "branch": "f", "files": {"b": "c"}},
            {"message": "Add c", "branch": "g", "files": {"c": "c"}, "author": by["commit"]},
        ],
        "tags": {"v1": "g"},
        "releases": {"v1": "The first"},
        "issues": [
            {"title": "It rains", "closed": True, "notes": ["First", {"body": "Second\n/due 2030-01-01", "author": by["note"]}]}
        ],
        "merge_requests": [
            {"title": "Merge f", "source_branch": "f", "merged": True, "notes": [{"body": "Fine", "author": by["review"]}]},
            {"title": "Merge g", "source_branch": "g"},
        ],
    }  # fmt: skip
    return yaml.safe_dump({"projects": [app]})


def test_a_run_continues_where_the_former_was_refused(running_server: RunningServer, tmp_path: Path):
    file, instance = tmp_path / "world.yaml", Mujina(running_server.url, running_server.token)
    for wrong in ("commit", "note", "review"):
        file.write_text(_interrupted(**{wrong: "nobody"}))
        for _ in range(2):
            assert "there is no user nobody" in _seed(running_server, file).error
    app, seen = "/projects/root%2Fapp", []
    for _ in range(2):
        file.write_text(_interrupted())
        assert _seed(running_server, file).code == 0
        [issue], requests = (instance.request("GET", f"{app}/{what}") for what in ("issues", "merge_requests"))
        assert issue["state"] == "closed"
        assert {each["title"]: each["state"] for each in requests} == {"Merge f": "merged", "Merge g": "opened"}
        notes = [note for note in instance.request("GET", f"{app}/issues/1/notes") if not note["system"]]
        assert [note["body"] for note in notes] == ["Second", "First"]
        commits = instance.request("GET", f"{app}/repository/commits?all=true")
        seen.append(sorted(commit["title"] for commit in commits))
        assert [tag["name"] for tag in instance.request("GET", f"{app}/repository/tags")] == ["v1"]
    assert seen[0] == seen[1]
    assert seen[0] == ["Add b", "Add c", "Change b", "Initial commit", "Merge branch 'f' into 'master'"]


def test_a_repository_with_other_commits_is_refused(running_server: RunningServer, tmp_path: Path):
    instance = Mujina(running_server.url, running_server.token)
    instance.request("POST", "/projects", name="app", initialize_with_readme=True)
    file = tmp_path / "world.yaml"
    file.write_text("projects: [{path: root/app, commits: [{message: Add b, files: {b: b}}]}]")
    message = "the repository of root/app has other commits than the description, and lacks “Add b”"
    assert message in _seed(running_server, file).error


def test_the_schema_accepts_what_the_command_accepts():
    schema = json.loads(mujina("seed", "--schema").out)
    jsonschema_rs.validator_for(schema).validate(WORLD)
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validator_for(schema).validate({"projects": [{"name": "without a path"}]})
    for path, parts in (("app", {}), ("ann/app", {"members": {"ann": "owner"}}), ("ann/app", {"milestones": [""]})):
        with pytest.raises(jsonschema_rs.ValidationError):
            jsonschema_rs.validator_for(schema).validate({"projects": [{"path": path, **parts}]})
    events = schema["$defs"]["SeededHook"]["properties"]["events"]["items"]["enum"]
    assert {f"{event}_events" for event in events} == {
        name for name in ProjectHookChange.__struct_fields__ if name.endswith("_events")
    }
    assert "Name a file" in mujina("seed").error


def test_the_demo_is_believable_and_seeded_once(running_server: RunningServer):
    instance = Mujina(running_server.url, running_server.token)
    place = "/projects/harbor%2Fweb%2Fstorefront"
    for _ in range(2):
        result = _seed(running_server, Path("demo"))
        assert (result.code, result.out) == (0, "There are 8 users, 4 groups and 4 projects of the file.\n"), result.err
        assert [release["tag_name"] for release in instance.request("GET", f"{place}/releases")] == ["v1.0"]
        assert len(instance.request("GET", f"{place}/merge_requests/3/notes")) == 3
        assert {issue["state"] for issue in instance.request("GET", f"{place}/issues")} == {"opened", "closed"}
    requests = instance.request("GET", f"{place}/merge_requests?state=merged")
    issues, commits = (instance.request("GET", f"{place}/{what}") for what in ("issues", "repository/commits"))
    for name, rows in {"created_at": [*issues, *requests], "committed_date": commits}.items():
        times = [clock.seconds_of(row[name]) for row in rows]
        assert time.time() > max(times)
        assert max(times) - min(times) > 30 * 86_400, "months lie between them"
        assert times[: len(issues)] == sorted(times[: len(issues)], reverse=True)
    while not instance.request("GET", f"{place}/pipelines"):  # a job creates them
        time.sleep(0.1)
