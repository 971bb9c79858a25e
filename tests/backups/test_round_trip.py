"""What is backed up while a server writes is restored as of one instant."""

import re
import stat
from pathlib import Path

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.backups.places import Place, repeated, writes
from tests.harness.databases import PostgresDatabases

ZERO = "0" * 40
PORT = re.compile(r"(?<=127\.0\.0\.1):\d+")


def test_a_set_under_writes_and_pushes_is_restored_as_of_one_instant(place: Place, thorough: bool):
    with writes(place.api):
        for _ in range(3 if thorough else 2):
            made = place.backup()
            assert made.code == 0, made.err
    done = place.restore()
    assert done.code == 0, done.out + done.err
    assert "1 repositories" not in done.out
    assert "ok       stored data: the disk has every repository and file that the database knows" in done.out
    assert done.out.splitlines()[-1].startswith("Restored the set ")
    tips = dict[str, str]()
    pushed = place.query(
        "SELECT c.ref, c.new_id FROM pushes o JOIN push_refs c ON c.push_id = o.id"
        " WHERE o.recorded_at IS NOT NULL AND NOT o.wiki ORDER BY o.id"
    )
    unrecorded = {ref for (ref,) in place.query(
        "SELECT c.ref FROM pushes o JOIN push_refs c ON c.push_id = o.id WHERE o.recorded_at IS NULL"
    )}  # fmt: skip
    for ref, new in pushed:
        tips[ref] = new
        if new != ZERO:
            assert place.git("cat-file", "-t", new) == "commit\n"
    found = dict(
        line.split()
        for line in place.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads").splitlines()
    )
    assert {ref: tip for ref, tip in tips.items() if tip != ZERO and ref not in unrecorded} == {
        ref: tip for ref, tip in found.items() if ref not in unrecorded
    }
    assert place.git("fsck", "--full", "--no-dangling") == ""


def test_projects_that_are_renamed_moved_packed_and_deleted_meanwhile_are_restored(place: Place, thorough: bool):
    api = place.api
    group = api.ask("POST", "/groups", {"name": "Other", "path": place.data.parent.name.replace("[", "-").strip("]")})

    def churn(number: int) -> None:
        name = f"churned-{place.data.parent.name}-{number}".replace("[", "-").strip("]")
        id = api.ask("POST", "/projects", {"name": name, "initialize_with_readme": True})["id"]
        api.ask("PUT", f"/projects/{id}", {"path": f"{name}-renamed"})
        api.ask("PUT", f"/projects/{id}/transfer", {"namespace": group["id"]})
        api.ask("POST", f"/projects/{id}/housekeeping")
        if number % 2:
            api.ask("DELETE", f"/projects/{id}")

    with repeated(churn):
        for _ in range(3 if thorough else 2):
            made = place.backup()
            assert made.code == 0, made.err
    done = place.restore()
    assert done.code == 0, done.out + done.err
    ids = [id for (id,) in place.query("SELECT p.id FROM projects p WHERE p.deleted_at IS NULL")]
    assert len(ids) > 1
    for id in ids:
        if RepositoryStorage.of(place.data).find(id) is not None:
            assert place.git("fsck", "--full", "--no-dangling", project_id=id) == ""


def test_a_restored_instance_goes_on_where_the_set_ends(place: Place):
    api = place.api
    deleted = api.ask("POST", "/projects/1/issues", {"title": "Deleted"})
    api.ask("DELETE", f"/projects/1/issues/{deleted['iid']}")
    assert place.backup().code == 0
    assert place.restore().code == 0
    highest = max(issue["iid"] for issue in api.ask("GET", "/projects/1/issues?scope=all"))
    with place.restored_server() as restored:
        issue = restored.ask("POST", "/projects/1/issues", {"title": "The next"})
        assert issue["id"] > deleted["id"]
        assert issue["iid"] > max(highest, deleted["iid"])
        assert restored.commit("master", "after the restoration", "It goes on")
        assert restored.ask("GET", "/projects/1/wikis/home")["content"] == "A page."
        assert restored.ask("GET", "/projects/1/issues?search=next&scope=all")[0]["id"] == issue["id"]
        assert [found["title"] for found in restored.ask("GET", "/projects/1/issues?search=first&scope=all")] == [
            "The first"
        ]


def test_what_did_not_change_is_stored_once(place: Place):
    place.backup()
    before = {path: path.stat().st_mtime_ns for path in place.target.rglob("parts/*/*")}
    place.backup()
    after = {path: path.stat().st_mtime_ns for path in place.target.rglob("parts/*/*")}
    assert before.items() <= after.items()
    assert len(place.read("list").out.splitlines()) == 3
    assert sum(path.stat().st_size for path in after.keys() - before.keys()) < 20_000


def test_a_target_is_readable_to_its_owner_only(place: Place):
    place.backup()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (place.target, *place.target.rglob("*")) if path.is_dir()}
    assert modes == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.target.rglob("*") if path.is_file()} == {0o600}


def test_a_set_is_restored_to_the_other_engine(place: Place, tmp_path: Path, request: pytest.FixtureRequest):
    assert place.backup().code == 0
    if place.database_url.startswith("sqlite"):
        databases: PostgresDatabases = request.getfixturevalue("postgres")
        place.database_url = databases.create()
    else:
        place.database_url = f"sqlite:///{tmp_path / 'restored' / 'mujina.db'}"
    done = place.restore()
    assert done.code == 0, done.out + done.err
    api = place.api
    with place.restored_server() as restored:
        for path in ("/projects/1", "/projects/1/issues?scope=all", "/users/1", "/projects/1/events"):
            mine, other = (PORT.sub("", str(each.ask("GET", path))) for each in (restored, api))
            assert mine == other
        assert restored.ask("POST", "/projects/1/issues", {"title": "The next"})["id"]
        assert restored.ask("GET", "/projects/1/issues?search=first&scope=all")
