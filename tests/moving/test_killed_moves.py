"""A move of several projects is killed, continued, and equals its source. `make soak` does the same with an instance of fifty."""

import json
import os
import time
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

import pytest

from mujina.testing.client import RequestRefused
from tests.harness import fork_server
from tests.harness.running import RunningServer
from tests.moving.shown_pages import PageReader
from tests.moving.world import PEOPLE, World, add_people, admin, differences, refs, shown, store_lfs

NAMES = ("one", "two", "three")


def fill(world: World, group: str) -> None:
    """A group with three projects, each with an issue, a merge request, and comments on both, one of them on a line."""
    group_id = world.ask("POST", "/groups", path=group, name=group, visibility="internal")["id"]
    for name in NAMES:
        made = world.ask("POST", "/projects", path=name, name=name, namespace_id=group_id, visibility="internal")
        here = f"/projects/{made['id']}"
        actions = [{"action": "create", "file_path": "README.md", "content": f"{name}\n"}]
        actions.append(
            {"action": "create", "file_path": "large.bin", "content": store_lfs(world.server, f"{group}/{name}")}
        )
        commit = {"branch": "master", "commit_message": "Begin", "actions": actions}
        world.ask("POST", f"{here}/repository/commits", **commit)
        actions[:] = [{"action": "update", "file_path": "README.md", "content": f"{name} {name}\n"}]
        world.ask("POST", f"{here}/repository/commits", **commit | {"branch": "topic", "start_branch": "master"})
        world.ask("POST", f"{here}/issues", title=f"Issue of {name}", description=f"See {group}/one#1, @ben")
        world.ask("POST", f"{here}/issues/1/notes", "ben", body="So it is")
        world.ask("POST", f"{here}/merge_requests", title="Twice", source_branch="topic", target_branch="master")
        refs_of_diff = world.ask("GET", f"{here}/merge_requests/1")["diff_refs"]
        position = {
            **refs_of_diff,
            "position_type": "text",
            "new_path": "README.md",
            "old_path": "README.md",
            "new_line": 1,
        }
        world.ask("POST", f"{here}/merge_requests/1/discussions", body="Why?", position=position)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_move_of_three_projects_that_is_killed_twice_equals_the_source(
    world: World, running_server: RunningServer, tmp_path: Path
):
    target, group = running_server, f"trio-{token_hex(4)}"
    fill(world, group)
    add_people(target, *PEOPLE)
    people, report = tmp_path / "people.json", tmp_path / "report.json"
    people.write_text(json.dumps({name: name for name in (*PEOPLE, "root")}))
    command = ["move-in", world.server.url, "--group", group, "--people", str(people), "--report", str(report)]
    command += ["--data", str(target.data), "--database-url", target.database_url]
    environment = os.environ | {"MUJINA_MOVE_IN_TOKEN": world.server.token, "MUJINA_OUTBOUND_ALLOW": "127.0.0.1"}

    def start():
        with (tmp_path / "out").open("a") as out:
            return fork_server.start("mujina", *command, environment=environment, out=out, err=out)

    paths = {name: f"/projects/{quote(f'{group}/{name}', safe='')}" for name in NAMES}
    kills = 0
    for point in (f"{paths['one']}/issues/1", paths["three"]):
        program = start()
        while program.poll() is None and not exists(target, point):
            time.sleep(0.02)
        kills += program.poll() is None
        program.kill()
        program.wait()
    assert kills == 2, (tmp_path / "out").read_text()
    assert start().wait() == 0, (tmp_path / "out").read_text()
    check_equality(world.server, target, [f"{group}/{name}" for name in NAMES])
    assert start().wait() == 0, (tmp_path / "out").read_text()
    again = json.loads(report.read_text())
    assert (sum(again["created"].values()), sum(again["updated"].values()), again["complete"]) == (0, 0, True)


def exists(server: RunningServer, path: str) -> bool:
    try:
        return bool(admin(server).request("GET", path))
    except RequestRefused:
        return False


def check_equality(source: RunningServer, target: RunningServer, paths: list[str]) -> None:
    for path in paths:
        project = f"/projects/{quote(path, safe='')}"
        assert not (lines := differences(shown(source, project), shown(target, project))), "\n".join(lines)
        assert refs(source, path) == refs(target, path)
    with closing(PageReader(source)) as there, closing(PageReader(target)) as here:
        assert not (lines := differences(there.shown(paths[-1]), here.shown(paths[-1]))), "\n".join(lines)
