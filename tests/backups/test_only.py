"""`mujina restore --only`: one project or group out of a set comes into an instance that is in use."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.backups.only.restoring import FOLDER
from tests.backups.test_killed import run_killed
from tests.cli.command import Result, mujina
from tests.harness.databases import PostgresDatabases, in_transaction
from tests.harness.running import RunningServer
from tests.migrations.releases.fill import RECORDED
from tests.migrations.releases.frozen import unpack
from tests.migrations.releases.going_on import lost
from tests.migrations.releases.person import Person

OLD, NEW = "club/rooms", "club/again"
IDS = re.compile(r"id|\w+_id|runners_token|forks_count|target_iid")
ELSEWHERE = ("/triggers", "/forks")
"""A token opens one project, and a fork is of one."""


class Frozen(NamedTuple):
    """A server on an instance with something of everything, what is known of that, and a target with a set of it."""

    server: RunningServer
    known: dict[str, Any]
    target: Path

    @property
    def root(self) -> Person:
        return Person(self.server.url, "root", self.server.token)

    def restore(self, only: str, *flags: str) -> Result:
        return restore(self.target, only, self.server.data, self.server.database_url, *flags)

    def count(self, table: str) -> int:
        return in_transaction(self.server.database_url, lambda tx: tx.value(f"SELECT count(*) FROM {table}"))


def restore(target: Path, only: str, data: Path, url: str, *flags: str) -> Result:
    return mujina("restore", str(target), "--only", only, *flags, "--data", str(data), "--database-url", url)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def frozen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Frozen]:
    folder = tmp_path_factory.mktemp("frozen")
    databases: PostgresDatabases | None = None
    url = f"sqlite:///{folder}/data/mujina.db"
    if request.param == "postgres":
        databases = request.getfixturevalue("postgres")
        url = databases.create()
    known = unpack("0.1.0", request.param, folder, url)["known"]
    server = RunningServer(folder / "data", url)
    server.start()
    made = mujina("backup", str(folder / "target"), "--data", str(server.data), "--database-url", url)
    assert made.code == 0, made.err
    yield Frozen(server, known, folder / "target")
    server.kill()
    if databases:
        databases.drop(url)


def alike(answer: Any, path: str) -> Any:
    """The answer about the project of this path without what differs from place to place: its path and name, ids, tokens."""
    name = path.rpartition("/")[2]
    text = json.dumps(answer).replace(path, "PATH").replace("Club / Rooms", "NAME").replace(f"Club / {name}", "NAME")
    return _masked(json.loads(re.sub(r"(projects|pipelines|jobs|snippets)/\d+", r"\1/0", text)), name)


def _masked(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _masked(each, name) for key, each in value.items() if not IDS.fullmatch(key)}
    if isinstance(value, list):
        return [_masked(each, name) for each in value]
    return "PLACE" if value in (name, "Rooms") else value


def test_a_project_comes_back_under_a_new_path_while_the_server_runs(frozen: Frozen):
    root = frozen.root
    queues = ("hook_deliveries", "hook_events", "notifications", "mails")
    before = [frozen.count(table) for table in queues]
    done = frozen.restore(OLD, "--as", NEW)
    assert done.code == 0, done.out + done.err
    assert re.search(
        r"^Restored club/rooms of the set \w+ of \S+ as club/again: 1 projects, 1\d\d rows and [23] files\.$",
        done.out,
        re.MULTILINE,
    )
    assert "Left out, because of what is not here or is taken: 1 of pipeline_triggers.\n" in done.out
    assert all(frozen.count(table) <= count for table, count in zip(queues, before, strict=True))
    asked = [path for path in RECORDED if path.startswith("/projects/club") and not path.endswith(ELSEWHERE)]
    for path in asked:
        one, other = (
            alike(root.record(path.replace("club%2Frooms", quote(each, safe=""))), each) for each in (OLD, NEW)
        )
        assert list(lost(one, other, path)) == []
    goes_on(frozen)
    assert not (frozen.server.data / FOLDER).exists()


def goes_on(frozen: Frozen) -> None:
    """Files and secrets are read, and numbers go on."""
    root, project = frozen.root, "/projects/club%2Fagain"
    assert root.ask("GET", f"/{NEW}{frozen.known['upload']}") == b"The plan of the house"
    assert root.get(f"{project}/variables/DOOR_CODE")["value"] == "four-digits-1234"
    job = next(each for each in root.get(f"{project}/jobs") if each["status"] == "success")
    assert b"made all rooms" in root.ask("GET", f"/api/v4{project}/jobs/{job['id']}/trace")
    issue = root.post(f"{project}/issues", title="The window squeaks", labels="bug,shared")
    assert issue["iid"] == 4
    assert root.get(f"{project}/issues?search=stuck")[0]["iid"] == 1
    clone = root.clone(NEW, frozen.target.parent / "clone")
    clone.git("lfs", "pull")
    assert (clone.folder / "large.bin").read_bytes() == b"large " * 1000
    clone.commit("Paint the door", door_txt="green\n")
    clone.git("push", "-q", "origin", "main")


@pytest.mark.parametrize("frozen", ["sqlite"], indirect=True)
def test_a_group_comes_with_its_subgroups_and_projects(frozen: Frozen):
    root = frozen.root
    assert frozen.restore("club", "--as", "second").code == 0
    for path in ("", "/subgroups", "/members", "/epics", "/labels", "/variables"):
        one, other = (json.dumps(root.record(f"/groups/{group}{path}")) for group in ("club", "second"))
        titles = [
            re.findall(r'"(?:title|name|key|username)": "([^"]+)"', text.replace("Club", "second"))
            for text in (one, other)
        ]
        assert set(titles[1]) <= set(titles[0])
        assert titles[1], path
    assert root.get("/projects/second%2Frooms")["name_with_namespace"] == "second / Rooms"
    labels = {label["id"] for label in root.get("/groups/second/labels")}
    used = root.get("/projects/second%2Frooms/labels?with_counts=true")
    assert [label["name"] for label in used if label["id"] in labels and label["open_issues_count"]] == ["shared"]
    assert root.get("/groups/second%2Fkitchen")["full_name"] == "second / Kitchen"
    assert frozen.restore("club/kitchen", "--as", "second/rooms/x").error.startswith(
        "There is no group or user second/rooms here"
    )


@pytest.mark.parametrize("frozen", ["sqlite"], indirect=True)
def test_what_cannot_be_restored_is_refused_and_leaves_nothing(frozen: Frozen):
    before = frozen.count("projects")
    taken = (
        f"{OLD} exists here: give another path with --as, such as --as {OLD}-restored, or remove or move what is there."
    )
    assert frozen.restore(OLD).error == taken
    assert frozen.restore("club/none").error.endswith(" has no project or group club/none.")
    assert frozen.restore(OLD, "--as", "nobody/rooms").error == (
        "There is no group or user nobody here: give a place that exists with --as, or restore the whole group with "
        "--only club."
    )
    assert (
        frozen.restore("club", "--as", "ann/club").error
        == "ann is a user, who has no groups: give another place with --as."
    )
    assert frozen.restore(OLD, "--as", "club/-").error.startswith("- cannot be a path here")
    assert frozen.count("projects") == before
    assert not (frozen.server.data / FOLDER).exists()


@pytest.fixture
def stopped(tmp_path: Path) -> tuple[Path, Path]:
    """The data folder of an instance with something of everything, and a target with a set of it."""
    unpack("0.1.0", "sqlite", tmp_path, "")
    data = tmp_path / "data"
    assert mujina("migrate", "--data", str(data)).code == 0
    assert mujina("backup", str(tmp_path / "target"), "--data", str(data)).code == 0
    return data, tmp_path / "target"


def test_a_restoration_that_is_killed_can_be_run_again(stopped: tuple[Path, Path], thorough: bool):
    data, target = stopped
    stored = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    command = ("restore", str(target), "--only", OLD, "--as", NEW, "--data", str(data))
    assert run_killed(10 if thorough else 1, *command) >= (20 if thorough else 4)
    assert stored == {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    url = f"sqlite:///{data}/mujina.db"
    paths = in_transaction(
        url, lambda tx: tx.values("SELECT path FROM routes WHERE project_id IS NOT NULL ORDER BY path")
    )
    assert paths == ["bob/rooms", NEW, OLD]
    assert in_transaction(url, lambda tx: tx.values("SELECT count(*) FROM issues GROUP BY project_id")) == [3, 3]
    assert not (data / FOLDER).exists()
    assert mujina("doctor", "--data", str(data)).out.count("ok ") >= 6


def test_another_restoration_waits_for_the_end_of_an_interrupted_one(stopped: tuple[Path, Path]):
    data, target = stopped
    (data / FOLDER).mkdir()
    mark = {"set": "20260131T000000Z", "only": OLD, "place": NEW, "token": "", "namespaces": {}, "projects": {"1": 9}}
    (data / FOLDER / "mark.json").write_text(json.dumps(mark))
    url = f"sqlite:///{data}/mujina.db"
    assert restore(target, OLD, data, url, "--as", "club/third").error == (
        "The restoration of club/rooms from the set 20260131T000000Z was interrupted: run it again first, with "
        f"--only club/rooms --at 20260131T000000Z --as club/again, or remove {data / FOLDER} to give it up."
    )


def test_a_path_that_was_taken_meanwhile_ends_an_interrupted_restoration(stopped: tuple[Path, Path]):
    data, target = stopped
    id = next(path.name for path in target.glob("sets/*"))
    (data / FOLDER).mkdir()
    mark = {"set": id, "only": OLD, "place": OLD, "token": "", "namespaces": {}, "projects": {"1": 9}}
    (data / FOLDER / "mark.json").write_text(json.dumps(mark))
    written = RepositoryStorage.of(data).repo_path(9)
    written.mkdir(parents=True)
    url = f"sqlite:///{data}/mujina.db"
    assert restore(target, OLD, data, url).error.startswith(f"{OLD} exists here")
    assert not written.exists()
    assert not (data / FOLDER).exists()
    assert restore(target, OLD, data, url, "--as", NEW).code == 0


def test_a_damaged_set_is_refused_before_anything_is_touched(stopped: tuple[Path, Path]):
    data, target = stopped
    url, before = f"sqlite:///{data}/mujina.db", (data / "mujina.db").read_bytes()
    for part in target.glob("parts/*/*"):
        content = part.read_bytes()
        part.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert "is damaged" in restore(target, OLD, data, url, "--as", NEW).error
        part.write_bytes(content)
    assert (data / "mujina.db").read_bytes() == before
    assert not (data / FOLDER).exists()


def test_another_instance_gets_the_people_it_has_and_secrets_under_its_own_key(
    stopped: tuple[Path, Path], tmp_path: Path
):
    _, target = stopped
    other = tmp_path / "other"
    url = f"sqlite:///{other}/mujina.db"
    server = RunningServer(other, url)
    server.start()
    try:
        root = Person(server.url, "root", server.token)
        for name, address in (
            ("carol", "carol@example.com"),
            ("ann", "ann@example.com"),
            ("bob", "another@example.com"),
        ):
            root.post(
                "/users",
                username=name,
                name=name,
                email=address,
                password="correct horse battery",
                skip_confirmation=True,
            )
        done = restore(target, "club", other, url)
        assert done.code == 0, done.out + done.err
        assert "Not here, so not members; what they wrote is the ghost user's: bob" in done.out, done.out
        members = {each["username"]: each["access_level"] for each in root.get("/groups/club/members")}
        assert members["ann"] == 50
        assert "bob" not in members
        assert root.get("/projects/club%2Frooms/variables/DOOR_CODE")["value"] == "four-digits-1234"
        [hook] = root.get("/projects/club%2Frooms/hooks")
        assert hook["url"] == "https://receiver.invalid/hook"
        issue = root.get("/projects/club%2Frooms/issues/1")
        assert (issue["author"]["username"], issue["assignees"], issue["milestone"]["title"]) == ("ann", [], "First")
        assert len(root.get("/projects/club%2Frooms/triggers")) == 1
    finally:
        server.kill()
    shutil.rmtree(other)
