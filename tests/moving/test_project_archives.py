"""Archives of projects through the API: written, downloaded and read by jobs."""

import gzip
import io
import json
import os
import shutil
import tarfile

import pytest

from mujina.kernel.jobs.queue import enqueue
from mujina.moving.attempts import ATTEMPTS, UNEXPECTED
from tests.harness.client import Raw
from tests.harness.creation import drain, make_group
from tests.moving.exports import packed

LINES = ("id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at")


def fill(cast):
    here = f"/projects/{cast.private.id}"
    cast.owner.post(
        f"{here}/repository/commits", branch="master", commit_message="First",
        actions=[{"action": "create", "file_path": "README.md", "content": "# Otter\n"}],
    )  # fmt: skip
    made = cast.developer.post(f"{here}/issues", title="It fails", confidential=True, labels="bug")
    noted = cast.developer.post(f"{here}/issues/{made.json['iid']}/notes", body="Once more")
    assert noted.status == 201, noted


@pytest.fixture
def here(cast):
    fill(cast)
    return f"/projects/{cast.private.id}"


def archived(cast, here):
    assert cast.master.post(f"{here}/export").status == 202
    drain(cast)
    return cast.master.get(f"{here}/export/download").body


def imported(who, content, **params):
    return who.post("/projects/import", Raw.multipart({"file": ("a.tar.gz", content)}, **params))


def test_a_project_is_exported_by_those_who_manage_it(cast, here):
    assert cast.master.get(f"{here}/export/download").status == 404
    shown = cast.master.get(f"{here}/export").json
    assert (list(shown), shown["export_status"]) == ([*LINES, "export_status"], "none")
    for who, status in ((cast.developer, 403), (cast.stranger, 404), (cast.anonymous, 401)):
        assert who.post(f"{here}/export").status == status
        assert who.get(f"{here}/export").status == status
        assert who.get(f"{here}/export/download").status == status
    assert cast.master.post(f"{here}/export").json == {"message": "202 Accepted"}
    assert cast.master.post(f"{here}/export").status == 202
    assert cast.master.get(f"{here}/export").json["export_status"] in ("queued", "finished")
    drain(cast)
    shown = cast.master.get(f"{here}/export").json
    assert (shown["export_status"], shown["_links"]["api_url"][-16:]) == ("finished", "/export/download")
    assert shown["_links"]["web_url"] == shown["_links"]["api_url"]
    got = cast.master.get(f"{here}/export/download")
    assert (got.status, got.headers["Content-Type"]) == (200, "application/gzip")
    with tarfile.open(fileobj=io.BytesIO(got.body)) as tar:
        assert tar.getnames()[0] == "archive.json"
        manifest = json.load(tar.extractfile("archive.json"))
    assert (manifest["format"], manifest["version"]) == ("mujina-archive", 1)
    again = archived(cast, here)
    assert gzip.decompress(again)[:8] == b"archive."


def test_an_archive_becomes_a_project_without_rights_for_anybody_in_it(cast, here):
    made = imported(cast.stranger, archived(cast, here), path="copy", name="A copy")
    assert made.status == 201, made
    copy = f"/projects/{made.json['id']}"
    assert (list(made.json), made.json["import_status"]) == ([*LINES, "import_status", "import_error"], "scheduled")
    drain(cast)
    state = cast.stranger.get(f"{copy}/import").json
    assert (state["import_status"], state["import_error"]) == ("finished", None)
    [issue] = [each for each in cast.stranger.get(f"{copy}/issues").json if each["title"] == "It fails"]
    assert (issue["title"], issue["confidential"], issue["labels"]) == ("It fails", True, ["bug"])
    assert issue["author"]["username"] == f"{cast.developer.username}-imported"
    [note] = [each for each in cast.stranger.get(f"{copy}/issues/{issue['iid']}/notes").json if not each["system"]]
    assert (note["body"], note["author"]["username"]) == ("Once more", f"{cast.developer.username}-imported")
    assert [each["username"] for each in cast.stranger.get(f"{copy}/members").json] == [cast.stranger.username]
    assert cast.stranger.get(f"{copy}/repository/files/README.md?ref=master").status == 200
    project = cast.stranger.get(copy).json
    assert (project["name"], project["visibility"], project["default_branch"]) == ("A copy", "private", "master")
    assert cast.developer.get(copy).status == 404
    # Another import of the same archive has nothing to do with the first one.
    other = imported(cast.developer, archived(cast, here), path="copy").json["id"]
    drain(cast)
    assert cast.developer.get(f"/projects/{other}/issues").json[0]["id"] != issue["id"]
    assert len(cast.stranger.get(f"{copy}/issues").json) == len(cast.master.get(f"{here}/issues").json)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_imports_are_refused_or_say_why_they_failed(cast, here):
    archive = archived(cast, here)
    assert imported(cast.anonymous, archive, path="copy").status == 401
    assert cast.stranger.post("/projects/import", path="copy").status == 400
    assert imported(cast.stranger, archive).json["error"] == "path is missing"
    overwritten = imported(cast.stranger, archive, path="copy", overwrite="true")
    assert (overwritten.status, "does not overwrite" in str(overwritten.json)) == (400, True)
    assert imported(cast.stranger, archive, path="copy", namespace="nowhere").status == 404
    elsewhere = make_group(cast.owner, "elsewhere", visibility="public")["id"]
    assert imported(cast.reporter, archive, path="copy", namespace=str(elsewhere)).status == 404
    assert imported(cast.stranger, archive, path="../copy").status == 400
    broken = {
        "text": b"no archive",
        "empty": b"",
        "other": packed({"x": b""}),
        "alone": packed({"archive.json": MANIFEST}),
    }
    for path, content in broken.items():
        made = imported(cast.stranger, content, path=path)
        assert made.status == 201, made
        drain(cast)
        state = cast.stranger.get(f"/projects/{made.json['id']}/import").json
        assert state["import_status"] == "failed"
        assert state["import_error"].endswith(".")
    assert imported(cast.stranger, archive, path="text").status == 409


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_archives_are_drafted_in_the_data_folder(cast, here):
    scratch = cast.database.settings.data / "scratch"
    imported(cast.stranger, archived(cast, here), path="copy")
    drain(cast)
    assert list(scratch.iterdir()) == []
    assert scratch.stat().st_mode & 0o077 == 0
    for name, at in (("archive-left", 1_600_000_000), ("archive-new", 4_000_000_000)):
        (scratch / name / "unpacked").mkdir(parents=True)
        os.utime(scratch / name, (at, at))
    cast.transact(lambda tx: enqueue(tx, "archives.expire", ""))
    drain(cast)
    assert [each.name for each in scratch.iterdir()] == ["archive-new"]
    shutil.rmtree(scratch)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_archive_that_does_not_fit_says_so(cast, here, monkeypatch):
    archive = archived(cast, here)
    monkeypatch.setattr("mujina.moving.project_archives.operations.free_bytes", lambda _: len(archive) - 1)
    made = imported(cast.stranger, archive, path="copy").json
    drain(cast)
    state = cast.stranger.get(f"/projects/{made['id']}/import").json
    assert (state["import_status"], "free space of the data folder" in state["import_error"]) == ("failed", True)


def test_an_archive_makes_a_bounded_number_of_imported_names(cast, here, monkeypatch):
    for who in (cast.owner, cast.master, cast.developer):
        for title in ("One", "Two"):
            assert who.post(f"{here}/issues", title=title).status == 201
    archive = archived(cast, here)
    monkeypatch.setattr("mujina.moving.move_in.people.MAX_IMPORTED_NAMES", 2)
    copy = f"/projects/{imported(cast.stranger, archive, path='copy').json['id']}"
    drain(cast)
    names = {issue["author"]["username"] for issue in cast.stranger.get(f"{copy}/issues?per_page=100").json}
    assert (len(names), sum(name.endswith("-imported") for name in names), "ghost" in names) == (3, 2, True)
    report = cast.stranger.get(f"{copy}/import").json["report"]
    reasons = [each["reason"] for each in report["problems"] if "people" in each["reason"]]
    assert reasons == ["It names more than 2 people: what the others did is shown as done by the ghost user."]
    assert report["created"]["imported names"] == 2


def test_jobs_of_archives_that_keep_failing_give_up(cast, here):
    archive, scratch = archived(cast, here), cast.database.settings.data / "scratch"
    shutil.rmtree(scratch)
    scratch.write_text("")  # neither an archive nor what is in it can be drafted
    copy = f"/projects/{imported(cast.stranger, archive, path='copy').json['id']}/import"
    assert cast.master.post(f"{here}/export").status == 202
    for _ in range(ATTEMPTS):
        drain(cast)
        states = cast.stranger.get(copy).json["import_status"], cast.master.get(f"{here}/export").json["export_status"]
        assert states == ("started", "started")
        cast.transact(lambda tx: tx.run("UPDATE jobs SET ready_at = '2020-01-01T00:00:00.000Z' WHERE attempts > 0"))
    drain(cast)
    state = cast.stranger.get(copy).json
    assert (state["import_status"], state["import_error"]) == ("failed", UNEXPECTED)
    assert cast.master.get(f"{here}/export").json["export_status"] == "none"
    scratch.unlink()
    assert archived(cast, here)


def test_an_archive_is_removed_after_a_day(cast, here):
    archived(cast, here)

    async def expire(tx):
        await tx.run("UPDATE project_archives SET updated_at = '2020-01-01T00:00:00.000Z'")
        await enqueue(tx, "archives.expire", "")

    cast.transact(expire)
    drain(cast)
    assert cast.master.get(f"{here}/export").json["export_status"] == "none"
    assert cast.master.get(f"{here}/export/download").status == 404


MANIFEST = json.dumps(
    {"format": "mujina-archive", "version": 1, "address": "https://x", "created_at": "2020-01-01T00:00:00Z"}
).encode()
