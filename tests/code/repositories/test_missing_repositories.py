"""What the database knows and the disk lacks is answered with 503, named to operators, and never made anew by reading."""

import pytest

from mujina.adapters.git.git import EMPTY
from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.storage_marker import MARKER
from tests.harness.client import File
from tests.harness.creation import make_project

MISSING = "is missing from the server's storage. Please tell an administrator."
ACTION = {"action": "create", "file_path": "a", "content": "a"}
SENTENCE = f"The repository of this project {MISSING}"


@pytest.fixture
def lost(code, stage):
    """Moves the repository of the project, or its wiki, away; and back."""
    storage = RepositoryStorage.of(stage.folder)

    class Lost:
        repo_path = storage.repo_path(code.project["id"])
        away = stage.folder / "away.git"
        wiki = storage.repo_path(code.project["id"], wiki=True)

        def lose(self, repo_path=None):
            (repo_path or self.repo_path).rename(self.away)

        def restore(self, repo_path=None):
            self.away.rename(repo_path or self.repo_path)

    return Lost()


def test_a_missing_repository_is_a_503_and_is_not_made_anew(cast, code, lost):
    before = cast.owner.get(f"{code.at}/branches").json
    lost.lose()
    reads = ("branches", "tags", "commits", "tree", "archive", "contributors", "files/README?ref=master")
    for path in reads:
        answer = cast.owner.get(f"{code.at}/{path}")
        assert (answer.status, answer.json) == (503, {"message": f"503 Service Unavailable - {SENTENCE}"}), path
        assert answer.headers["retry-after"] == "60"
    assert code.commit(more="x").status == 503
    assert cast.owner.post(f"{code.at}/branches", branch="b", ref="master").status == 503
    assert cast.owner.put(code.path, default_branch="b").status == 503
    assert not lost.repo_path.exists()
    assert cast.owner.get(code.path).status == 200
    lost.restore()
    assert cast.owner.get(f"{code.at}/branches").json == before


def test_a_page_says_that_the_repository_is_missing(browse, code, lost):
    lost.lose()
    page = browse("owner").open(f"/{code.project['path_with_namespace']}/tree/master")
    assert (page.status, SENTENCE.replace("'", "&#39;") in page.text) == (503, True)


def test_a_missing_wiki_is_a_503_and_a_wiki_without_pages_is_empty(cast, code, lost):
    wiki = f"{code.path}/wikis"
    assert (cast.owner.get(wiki).json, lost.wiki.exists()) == ([], False)
    assert cast.owner.post(wiki, title="Home", content="x").status == 201
    lost.lose(lost.wiki)
    assert [cast.owner.get(path).status for path in (wiki, f"{wiki}/Home")] == [503, 503]
    assert cast.owner.post(wiki, title="Other", content="x").status == 503
    assert (cast.owner.get(f"{code.at}/branches").status, lost.wiki.exists()) == (200, False)


def test_reading_an_empty_project_creates_nothing_and_writes_nothing_shared(cast, empty, stage):
    storage = RepositoryStorage.of(stage.folder)
    repo_path = storage.repo_path(empty.project["id"])
    for path in ("branches", "tags", "contributors"):
        assert (cast.owner.get(f"{empty.at}/{path}").json, repo_path.exists()) == ([], False)
    assert cast.owner.post(f"{empty.at}/branches", branch="side", ref="master").status == 201
    assert cast.owner.post(f"{empty.path}/wikis", title="Home", content="x").status == 201
    assert (repo_path / "HEAD").exists()
    shared = storage.root / EMPTY
    assert [path for part in ("objects", "refs") for path in (shared / part).rglob("*") if path.is_file()] == []


def test_a_fork_of_a_missing_repository_fails_and_says_why(cast, code, lost):
    lost.lose()
    fork = cast.owner.post(f"{code.path}/fork", namespace="owner").json
    shown = cast.owner.get(f"/projects/{fork['id']}").json
    assert (shown["import_status"], shown["import_error"]) == ("failed", SENTENCE)
    assert not lost.repo_path.exists()


def test_housekeeping_makes_no_repository_anew(cast, code, lost):
    lost.lose()
    cast.owner.post(f"{code.path}/housekeeping")
    assert not lost.repo_path.exists()


def test_a_project_without_its_repository_can_be_deleted(cast, code, lost):
    lost.lose()
    assert cast.owner.delete(code.path).status in (202, 204)
    left = cast.value("SELECT count(*) FROM projects p WHERE p.id = :id", id=code.project["id"])
    assert left == 0


def test_a_deleted_project_keeps_its_rows_while_the_disk_is_not_mounted(cast, code, stage):
    repositories = stage.folder / "repositories"
    repositories.rename(stage.folder / "unmounted")
    try:
        cast.owner.delete(code.path)
        left = cast.value("SELECT count(*) FROM projects p WHERE p.id = :id", id=code.project["id"])
    finally:
        (stage.folder / "unmounted").rename(repositories)
    assert left == 1


def test_a_disk_that_is_not_mounted_is_a_503_for_all(cast, code, empty_disk):
    sentence = "The server's storage of repositories is not there. Nothing was changed; try again later."
    made = cast.owner.post("/projects", name="unborn", namespace_id=cast.team.id)
    assert made.status == 201, made
    for id in (code.project["id"], made.json["id"]):
        answer = cast.owner.get(f"/projects/{id}/repository/branches")
        assert (answer.status, answer.json) == (503, {"message": f"503 Service Unavailable - {sentence}"})
    first = {"branch": "master", "commit_message": "First", "actions": [ACTION]}
    assert cast.owner.post(f"/projects/{made.json['id']}/repository/commits", **first).status == 503
    assert _readiness(cast) == (503, "repositories are not mounted")
    assert list(empty_disk.iterdir()) == []


def test_monitoring_counts_what_is_missing_and_is_alarmed_when_it_is_much(cast, code, stage):
    storage = RepositoryStorage.of(stage.folder)
    others = [make_project(cast.owner, f"n{n}", namespace_id=cast.team.id)["id"] for n in range(2)]
    for id in others:
        made = cast.owner.post(
            f"/projects/{id}/repository/commits", branch="master", commit_message="a", actions=[ACTION]
        )
        assert made.status == 201
    assert (_gauge(cast), _readiness(cast)) == ("0.0", (200, "ok"))
    for number, id in enumerate([code.project["id"], *others], 1):
        storage.repo_path(id).rename(stage.folder / f"{id}.git")
        assert _gauge(cast) == f"{number}.0"
        assert _readiness(cast) == ((503, "repositories are missing") if number == 3 else (200, "ok"))


def test_a_missing_attachment_is_a_503_and_nothing_is_stored_on_a_disk_that_is_not_mounted(cast, code, stage):
    made = cast.owner.post(f"{code.path}/uploads", file=File("a.txt", b"attached")).json
    address = f"//{code.project['path_with_namespace']}{made['url']}"
    assert cast.owner.get(address).body == b"attached"
    folder, away = stage.folder / "files", stage.folder / "unmounted"
    [file] = [path for path in folder.rglob("*") if path.is_file() and path.name != MARKER]
    file.unlink()
    answer = cast.owner.get(address)
    assert (answer.status, answer.text) == (503, f"This file {MISSING}\n")
    folder.rename(away)
    try:
        folder.mkdir()
        assert cast.owner.post(f"{code.path}/uploads", file=File("b.txt", b"b")).status == 503
        assert (cast.owner.get(address).status, list(folder.iterdir())) == (503, [])
        assert _readiness(cast) == (503, "files are not mounted")
    finally:
        folder.rmdir()
        away.rename(folder)


@pytest.fixture
def empty_disk(code, stage):
    """An empty folder in the place of that of the repositories, as if their disk were not mounted."""
    root, away = RepositoryStorage.of(stage.folder).root, stage.folder / "unmounted"
    root.rename(away)
    root.mkdir()
    yield root
    root.rmdir()
    away.rename(root)


def _readiness(cast):
    answer = cast.anonymous.get("//-/readiness")
    return answer.status, answer.json["checks"]["storage"]


def _gauge(cast):
    text = cast.anonymous.get("//-/metrics").body.decode()
    [line] = [line for line in text.splitlines() if line.startswith('mujina_storage_missing{kind="repositories"}')]
    return line.split()[-1]
