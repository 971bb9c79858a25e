"""Export and import of one project on pages."""

import pytest

from mujina.moving.project_archives.operations import set_archive
from tests.harness.creation import drain
from tests.moving.test_project_archives import MANIFEST, archived, fill, packed

NEW = "/projects/new/archive"


@pytest.fixture
def here(cast):
    fill(cast)
    return f"/projects/{cast.private.id}"


def test_a_project_is_exported_on_its_page(browse, cast, here):
    master, page = browse("master"), f"/{cast.private.path}/export"
    assert "Export project" in master.open(page).text
    assert browse("developer").open(page).status == 403
    assert browse("stranger").open(page).status == 404
    cast.transact(lambda tx: set_archive(tx, cast.private.id, "export", "started", None))
    assert 'http-equiv="refresh"' in master.open(page).text
    assert master.send(page).status == 303
    drain(cast)
    shown = master.open(page).text
    assert ("The archive is ready." in shown, 'http-equiv="refresh"' in shown) == (True, False)
    download = f"/api/v4{here}/export/download"
    assert download in shown
    got = master.call("GET", download.removeprefix("/api/v4"))
    assert (got.status, got.headers["Content-Type"]) == (200, "application/gzip")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_archive_becomes_a_project_with_a_report_that_stays(browse, cast, here):
    archive = archived(cast, here)
    stranger = browse("stranger")
    assert "Archive of a project" in stranger.open(NEW).text
    made = stranger.send_files(NEW, {"file": ("a.tar.gz", archive)}, path="copy", name="A copy", namespace="")
    page = f"/{cast.stranger.username}/copy/import"
    assert (made.status, made.headers["Location"]) == (303, page)
    drain(cast)
    shown = stranger.open(page).text
    assert [each in shown for each in ("The import is finished.", "Imported objects by kind", "issues")] == [True] * 3
    report = cast.stranger.get(f"/projects/{cast.stranger.username}%2Fcopy/import").json["report"]
    assert (report["complete"], report["created"]["labels"] > 0) == (True, True)
    assert browse("developer").open(page).status == 404


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_large_archive_is_stored_as_it_arrives(browse, cast):
    stranger = browse("stranger")
    stranger.open(NEW)
    large = packed({"archive.json": MANIFEST}) + b"\0" * 200_000
    assert stranger.send_files(NEW, {"file": ("a.tar.gz", large)}, path="large").status == 303
    drain(cast)
    assert "The import failed." in stranger.open(f"/{cast.stranger.username}/large/import").text
    taken = stranger.send_files(NEW, {"file": ("a.tar.gz", large)}, path="large")
    assert (taken.status, "already been taken" in taken.text) in {(422, True), (409, True)}
    stranger.page = None
    stranger.open("/dashboard")
    token, stranger.cookie = stranger.token, browse("developer").cookie  # the form of somebody else's browser
    raw = stranger.send_files(NEW, {"file": ("a.tar.gz", large)}, path="forged")
    assert (raw.status, bool(token)) == (422, True)
    assert cast.developer.get(f"/projects/{cast.developer.username}%2Fforged").status == 404


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_form_says_what_is_missing(browse, cast):
    stranger = browse("stranger")
    stranger.open(NEW)
    assert stranger.send(NEW, path="copy").status == 422
    missing = stranger.send_files(NEW, {"file": ("", b"")}, path="copy", name="Kept")
    assert (missing.status, 'value="Kept"' in missing.text) == (422, True)
    assert stranger.send_files(NEW, {"file": ("a", b"x")}, path="copy", namespace="nowhere").status in (404, 422)
    assert browse("anonymous").open(NEW).status == 302
