"""`mujina seed`: a file describes what an instance is to have."""

import json
import time
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from mujina.integrations.hooks.params import ProjectHookChange
from mujina.kernel import clock
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
    "projects: [{path: nobody/app}]": "POST /projects was refused with status",
    "projects: [{path: app}]": "write `user/app` or `group/app`",
    "projects: [{path: root/app, days_ago: .inf}]": "Expected `float` <= 18250.0",
    "projects: [{path: root/app, days_ago: .nan}]": "Expected `float` >= 0.0",
    "[" * 5_000: "it is nested too deeply",
    r'users: [{username: "\ud800"}]': "describes no world",
    "groups: [{path: team, members: {nobody: owner}}]": "there is no user nobody",
}


def test_a_file_with_an_error_is_refused_with_its_reason(running_server: RunningServer, tmp_path: Path):
    file = tmp_path / "world.yaml"
    for text, message in REFUSED.items():
        file.write_text(text)
        assert message in _seed(running_server, file).error


def test_a_token_of_another_run_stays(running_server: RunningServer, tmp_path: Path):
    instance = Mujina(running_server.url, running_server.token)
    other = instance.request("POST", "/users/1/impersonation_tokens", name="mujina seed", scopes=["api"])["token"]
    file = tmp_path / "world.yaml"
    file.write_text("users: [{username: ann}]")
    assert _seed(running_server, file).code == 0
    assert instance.request("GET", "/user", token=other)["username"] == "root"


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
