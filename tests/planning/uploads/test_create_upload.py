import re

import pytest

from tests.accounts.users.test_avatar import picture
from tests.harness.client import Raw
from tests.harness.creation import make_project


@pytest.fixture
def bring(cast):
    """`bring(cast.guest, "a.txt", b"…")`: that person brings this file to the private project."""

    def post(person, name, data=b"content", project=None):
        project = project or cast.private
        return person.post(f"/projects/{project.id}/uploads", raw=Raw.multipart({"file": (name, data)}))

    return post


@pytest.fixture
def look(cast):
    def get(person, path, **headers):
        return person.get(f"/{path}", raw=Raw(headers=headers))

    return get


def test_a_file_is_linked_and_a_picture_stands_in_the_text(cast, bring):
    file = bring(cast.guest, "notes.txt")
    assert file.status == 201
    found = re.fullmatch(r"/uploads/[0-9a-f]{32}/notes\.txt", file.json["url"])
    assert found
    assert file.json["alt"] == "notes.txt"
    assert file.json["markdown"] == f"[notes.txt]({file.json['url']})"
    assert file.json["full_path"] == f"/{cast.private.path}{file.json['url']}"
    image = bring(cast.guest, "dk.png", picture()).json
    assert (image["alt"], image["markdown"]) == ("dk", f"![dk]({image['url']})")


def test_readers_of_the_project_upload_files(cast, bring):
    assert bring(cast.anonymous, "a").status == 401
    assert bring(cast.stranger, "a").status == 404
    assert bring(cast.external, "a", project=cast.internal).status == 404
    assert bring(cast.stranger, "a", project=cast.public).status == 201


def test_a_request_without_a_file_is_refused(cast):
    path = f"/projects/{cast.private.id}/uploads"
    assert cast.guest.post(path, file="text").json == {"error": "file is invalid"}
    assert cast.guest.post(path).json["error"] == "file is missing"


def test_a_file_that_is_too_large_is_refused(cast, bring):
    assert bring(cast.guest, "large", b"x" * 10 * 1024 * 1024).status == 201
    cast.root.put("/application/settings", max_attachment_size=1)
    assert bring(cast.guest, "large", b"x" * 1024 * 1024).status == 201
    assert bring(cast.guest, "large", b"x" * (1024 * 1024 + 1)).status == 413


def test_users_who_read_the_project_get_the_file(cast, bring, look):
    path = bring(cast.guest, "notes.txt", b"hello").json["full_path"]
    for person in (cast.guest, cast.owner, cast.root):
        assert (look(person, path).status, look(person, path).body) == (200, b"hello")
    for person in (cast.stranger, cast.anonymous, cast.expired):
        assert look(person, path).status == 404
    public = bring(cast.stranger, "a.txt", b"all", project=cast.public).json["full_path"]
    assert look(cast.anonymous, public).body == b"all"


def test_a_token_needs_a_scope_that_reads_projects(cast, bring, look):
    path = bring(cast.guest, "notes.txt").json["full_path"]
    tokens = f"/users/{cast.guest.id}/impersonation_tokens"
    found = {
        scope: look(cast.guest.with_token(cast.root.post(tokens, name="x", scopes=[scope]).json["token"]), path).status
        for scope in ("api", "read_api", "read_user")
    }
    assert found == {"api": 200, "read_api": 200, "read_user": 403}


def test_a_browser_is_sent_to_the_sign_in_page_and_back(cast, bring, look):
    path = bring(cast.guest, "a b.txt").json["full_path"]
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    back = path.replace(" ", "%20").replace("%", "%25")
    answer = look(cast.anonymous, path, **browser)
    assert (answer.status, answer.headers["Location"]) == (302, f"/users/sign_in?target={back}")
    missing = look(cast.anonymous, path.replace("/uploads/", "-nothing/uploads/"), **browser)
    assert missing.status == 302
    assert look(cast.stranger, path, **browser).status == 404
    assert look(cast.anonymous, path, accept="image/png").status == 404
    assert look(cast.guest, path, **browser).status == 200


def test_an_address_needs_the_right_project_secret_and_name(cast, bring, look):
    file = bring(cast.guest, "notes.txt").json
    for path in (
        f"/{cast.public.path}{file['url']}",
        file["full_path"].replace("notes", "other"),
        file["full_path"][:-10] + "%2e%2e/notes.txt",
        re.sub("[0-9a-f]{32}", "0" * 32, file["full_path"]),
        f"/{cast.private.path}/uploads/../../../../etc/passwd",
        f"/{cast.private.path}/uploads/{'0' * 32}/..%2F..%2Fetc%2Fpasswd",
        f"/{cast.private.path}/uploads/{'0' * 32}/%00",
        f"/{cast.private.path}/uploads/{'0' * 32}/%ff",
    ):
        assert look(cast.owner, path).status == 404, path


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("a b(c).txt", "a_b_c_.txt"),
        ("x](javascript:alert(1)).png", "x__javascript_alert_1__.png"),
        ("\u00fcber.txt", "_ber.txt"),
        ("n" * 400 + ".txt", "n" * 196 + ".txt"),
    ],
)
def test_a_name_cannot_lead_anywhere(cast, bring, look, given, kept):
    file = bring(cast.guest, given, b"x").json
    assert file["url"].rpartition("/")[2] == kept
    assert look(cast.guest, file["full_path"]).body == b"x"


@pytest.mark.parametrize(
    ("name", "type", "disposition"),
    [
        ("a.png", "image/png", "inline"),
        ("a.JPG", "image/jpeg", "inline"),
        ("a.svg", "image/svg+xml", "attachment"),
        ("a.html", "application/octet-stream", "attachment"),
        ("a.txt", "application/octet-stream", "attachment"),
    ],
)
def test_a_browser_runs_nothing_of_it(cast, bring, look, name, type, disposition):
    served = look(cast.guest, bring(cast.guest, name, b"<script>alert(1)</script>").json["full_path"])
    assert served.headers["content-type"] == type
    assert served.headers["content-disposition"] == disposition
    assert served.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in served.headers["content-security-policy"]
    assert served.headers["cache-control"].startswith("private")


def test_an_upload_is_not_sent_again_to_a_client_that_has_it(cast, bring, look):
    path = bring(cast.guest, "a.txt").json["full_path"]
    tag = look(cast.guest, path).headers["etag"]
    assert look(cast.guest, path, **{"If-None-Match": tag}).status == 304


def test_a_deleted_project_takes_its_files_along(cast, bring, stage):
    project = make_project(cast.owner, "short-lived")

    class Place:
        id = project["id"]

    before = set(stage.folder.glob("files/uploads/*/*"))
    assert bring(cast.owner, "a.txt", project=Place).status == 201
    assert len(set(stage.folder.glob("files/uploads/*/*")) - before) == 1
    cast.owner.delete(f"/projects/{project['id']}")
    assert set(stage.folder.glob("files/uploads/*/*")) - before == set()


def test_a_file_goes_along_with_the_issue_that_shows_it(cast, bring, look, stage):
    """The file is kept once, for as long as one of the projects is there."""
    project = make_project(cast.owner, "short-lived")

    class Home:
        id = project["id"]

    shown, said, other = (bring(cast.owner, name, name.encode(), project=Home).json for name in ("a.png", "b.txt", "c"))
    issues = f"/projects/{project['id']}/issues"
    issue = cast.owner.post(issues, title="x", description=f"see {shown['markdown']}").json
    cast.owner.post(f"{issues}/{issue['iid']}/notes", body=f"and {said['markdown']}")
    moved = cast.owner.post(f"{issues}/{issue['iid']}/move", to_project_id=cast.private.id).json
    assert moved["description"] == f"see {shown['markdown']}"
    there = {name: f"/{cast.private.path}{file['url']}" for name, file in (("a", shown), ("b", said), ("c", other))}
    assert look(cast.guest, there["a"]).body == b"a.png"
    assert look(cast.guest, there["b"]).body == b"b.txt"
    assert look(cast.guest, there["c"]).status == look(cast.stranger, there["a"]).status == 404
    cast.owner.delete(f"/projects/{project['id']}")
    assert look(cast.guest, there["a"]).body == b"a.png"
    assert not list(stage.folder.glob(f"files/uploads/*/{other['url'].split('/')[2]}"))


def test_an_old_address_redirects_after_the_project_was_renamed(cast, bring, look):
    path = bring(cast.guest, "a.txt", b"x").json["full_path"]
    assert cast.owner.put(f"/projects/{cast.private.id}", path="renamed").status == 200
    redirect = look(cast.guest, path)
    assert (redirect.status, redirect.body) == (301, b"")
    assert redirect.headers["location"] == path.replace("/private/", "/renamed/")
    assert look(cast.guest, redirect.headers["location"]).body == b"x"
    assert "location" not in look(cast.stranger, path).headers
    assert look(cast.stranger, path).status == look(cast.anonymous, path).status == 404
    assert look(cast.guest, path.replace("a.txt", "b.txt")).status == 404
