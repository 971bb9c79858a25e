"""Pages about code: what they show, to whom, and at what cost."""

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pygit2
import pytest

import mujina
from mujina.adapters.git.storage import RepositoryStorage
from mujina.code.files import folders
from mujina.kernel.storage.recent_results import RecentResults
from mujina.rendering.code.code_rows import PART_LINES, numbered
from mujina.rendering.code.highlighting import highlight
from mujina.rendering.code.lexers import lexer_of
from tests.code.pages.conftest import commit
from tests.harness.creation import chain, make_group
from tests.web.page_checks import ParsedPage

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""What pages show does not depend on the engine; the statements of all pages run on both in the first test."""

STATEMENTS = {
    "": 12,
    "/tree/master": 7,
    "/tree/feature/x/src": 7,
    "/blob/master/src/app.py": 8,
    "/blob/master/README.md": 8,
    "/blame/master/src/app.py": 8,
    "/find_file/master?search=guide": 8,
    "/commits/master": 8,
    "/commits/feature/x/src/app.py": 8,
    "/commit/{second}": 14,
    "/commit/{second}?view=parallel": 14,
    "/compare": 9,
    "/compare/master...feature/x": 9,
    "/branches?state=all": 9,
    "/tags": 8,
    "/tags/v1": 8,
    "/graphs/master": 8,
    "/graphs/master/charts": 8,
    "/forks": 10,
    "/new/master/docs": 8,
    "/edit/master/src/app.py": 8,
    "/delete/master/src/app.py": 8,
    "/branches/new": 8,
    "/tags/new": 8,
    "/tags/v1/release/edit": 8,
    "/forks/new": 10,
}
"""Each page, and how many statements it may use."""
WRITERS = ("/new/", "/edit/", "/delete/", "/new", "/release/edit")


def check(page):
    """What holds for every page."""
    assert len(re.findall(r"<h1[ >]", page.text)) == 1, "headings"
    ids = re.findall(r'\sid="?([^"> ]*)', page.text)
    assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1][:5]
    tags = re.sub(r'"[^"]*"', '""', page.text)
    assert not re.search(r"<[^>]*\s(?:style|on\w+)=", tags)


def test_every_page_opens_within_its_statements(browse, cast, shelf):
    owner = browse("owner")
    for path, most in STATEMENTS.items():
        before = cast.database.statements
        page = owner.open(f"/{cast.public.path}{path.format(second=shelf[1])}")
        used = cast.database.statements - before
        assert page.status == 200, (path, page.status, page.text[:300])
        check(page)
        assert used <= most, (path, used)


@one_engine
def test_signatures_cost_a_history_one_statement(browse, cast, shelf, stage):
    repository = pygit2.Repository(str(RepositoryStorage.of(stage.folder).repo_path(cast.public.id)))
    tip: Any = repository[shelf[1]]
    for n in range(5):
        text = f"tree {tip.tree_id}\nparent {tip.id}\nauthor A <a@b> {n} +0000\ncommitter A <a@b> {n} +0000\n\nSigned\n"
        tip = repository[repository.create_commit_with_signature(text, "-----BEGIN PGP SIGNATURE-----", "gpgsig")]
    owner, costs = browse("owner"), []
    for sha in (shelf[1], tip.id, tip.id):
        before = cast.database.statements
        page = owner.open(f"/{cast.public.path}/commits/{sha}")
        costs.append(cast.database.statements - before)
    assert page.text.count("Unverified") == 5
    check(page)
    assert costs[2] == costs[0] + 1


@one_engine
def test_readers_open_code_pages_and_developers_open_forms(browse, cast, shelf):
    for name, writes in (("anonymous", 302), ("stranger", 403), ("reporter", 403), ("developer", 200)):
        browser = browse(name)
        for path in STATEMENTS:
            page = browser.open(f"/{cast.public.path}{path.format(second=shelf[1])}")
            needs_right = any(part in path for part in WRITERS) and not (path == "/forks/new" and name != "anonymous")
            assert page.status == (writes if needs_right else 200), (name, path, page.status)
    commit(cast, cast.private, "Secret", {"action": "create", "file_path": "secret.md", "content": "secret words"})
    guest = browse("guest")
    home = guest.open(f"/{cast.private.path}")
    assert home.status == 200
    assert not re.search(r"secret|git@|archive\.zip|/commit/", home.text)
    for path in (
        "/tree/master",
        "/blob/master/secret.md",
        "/raw/master/secret.md",
        "/commits/master",
        "/branches",
        "/graphs/master",
    ):
        assert guest.open(f"/{cast.private.path}{path}").status == 403, path
        assert browse("stranger").open(f"/{cast.private.path}{path}").status == 404, path
        assert browse("anonymous").open(f"/{cast.private.path}{path}").status == 302, path


@one_engine
def test_a_readme_is_rendered_for_its_reader(browse, cast, shelf):
    home = browse("anonymous").open(f"/{cast.public.path}")
    here = f"/{cast.public.path}"
    assert f'href="{here}/blob/master/docs/guide.md"' in home.text
    assert f'src="{here}/raw/master/logo.png"' in home.text
    assert f'href="{here}/issues/{cast.open}"' in home.text
    assert "@example" not in home.text
    assert "/star" not in home.text
    assert "First commit" in home.text


KINDS = [
    ("src/app.py", "<a id=L4></a><b>def "),
    ("docs/guide.md", '<h2 class="md-h1" id="user-content-guide">Guide</h2>'),
    ("docs/guide.md?plain=1", "<a id=L1>"),
    ("logo.png", '<img src="/{path}/raw/master/logo.png"'),
    ("data.csv", "<td>alpha</td>"),
    ("blob.bin", "Binary file, 4 bytes"),
    ("large.txt", "This file is too large to show"),
    ("video.mp4", "Stored with Git LFS, 12.4 MB"),
    ("a%20b%23%3F/%3Ci%3E%26.txt", "odd name"),
]


@one_engine
def test_a_file_is_shown_by_its_kind(browse, cast, shelf):
    guest = browse("guest")
    for path, expected in KINDS:
        page = guest.open(f"/{cast.public.path}/blob/master/{path}")
        assert page.status == 200, path
        assert expected.replace("{path}", cast.public.path) in page.text, path
        check(page)


@one_engine
def test_a_large_file_is_plain_until_its_colors_are_known(browse, cast):
    commit(cast, cast.public, "Large", {"action": "create", "file_path": "a.py", "content": f"# {'a' * 4_000}\n" * 18})
    guest = browse("guest")
    pages = [guest.open(f"/{cast.public.path}/blob/master/a.py").text]
    assert ("<i>#" in pages[0], pages[0].count("<a id=L")) == (False, 18)
    while "<i>#" not in pages[-1]:
        assert len(pages) < 200
        pages.append(guest.open(f"/{cast.public.path}/blob/master/a.py").text)


SOURCE = Path(mujina.__file__).parent
"""Real source code: our own."""


@one_engine
def test_a_page_of_code_has_at_most_twice_the_bytes_of_the_file(browse, cast):
    files = {
        "a.py": "".join(path.read_text() for path in sorted(SOURCE.glob("kernel/*.py"))[:12]),
        "a.html": "".join(path.read_text() for path in sorted(SOURCE.glob("web/templates/*/*.html"))[:40]),
        "a.js": (SOURCE / "web/static/site.js").read_text() * 12,
    }
    files = {path: "".join(text.splitlines(keepends=True)[:PART_LINES]) for path, text in files.items()}
    commit(cast, cast.public, "Code", *({"action": "create", "file_path": p, "content": t} for p, t in files.items()))
    guest = browse("guest")
    for path, text in files.items():
        lines = highlight(lexer_of(path), text)
        shown = numbered(lines)
        assert ParsedPage(f"<pre>{shown}</pre>").tree.css_first("pre").text() == text, "copied code is the file itself"
        assert len(shown.encode()) <= 2 * len(text.encode()), path
        page = guest.open(f"/{cast.public.path}/blob/master/{path}")
        assert len(page.text.encode()) - len(text.encode()) * 2 < 20_000, "the frame around the code"


@one_engine
def test_a_long_file_is_shown_in_parts(browse, cast):
    text = "".join(f"{n}\n" for n in range(1, 60_001))
    commit(cast, cast.public, "Long", {"action": "create", "file_path": "long.txt", "content": text})
    guest, here = browse("guest"), f"/{cast.public.path}/blob/master/long.txt"
    page = guest.open(here)
    assert len(page.text) < 2 * len(text)
    assert ("60,000 lines" in page.text, 'data-page="?page="' in page.text) == (True, True)
    assert [f"<a id=L{n}>" in page.text for n in (1, PART_LINES, PART_LINES + 1)] == [True, True, False]
    later = guest.open(here, page=30)
    assert ("<a id=L58001></a>58001\n" in later.text, "<a id=L60000></a>60000\n" in later.text) == (True, True)
    assert "<a id=L60000>" in guest.open(here, page=99).text, "there is no later part"
    check(page)
    assert "Blame is available up to 5,000 lines" in guest.open(here.replace("/blob/", "/blame/")).text


@one_engine
def test_blame_is_shown_in_parts(browse, cast):
    lines = [f"{n}\n" for n in range(1, 2_101)]
    commit(cast, cast.public, "Write", {"action": "create", "file_path": "b.txt", "content": "".join(lines)})
    lines[1_998:2_002] = ["a\n", "b\n", "c\n", "d\n"]
    commit(cast, cast.public, "Change", {"action": "update", "file_path": "b.txt", "content": "".join(lines)})
    guest, here = browse("guest"), f"/{cast.public.path}/blame/master/b.txt"
    pages = [guest.open(here), guest.open(here, page=2)]
    assert [page.text.count("<a id=L") for page in pages] == [2_000, 100]
    assert ["<a id=L2000></a>b\n</pre>" in pages[0].text, "<a id=L2001></a>c\n" in pages[1].text] == [True, True]
    assert [page.text.count("<th scope=row>") for page in pages] == [2, 2]
    for page in pages:
        check(page)


@one_engine
def test_a_row_of_changes_names_its_line_twice_at_most(browse, cast, shelf):
    page = browse("developer").open(f"/{cast.public.path}/commit/{shelf[1]}")
    rows = re.findall(r"<tr class=add .*?(?=<tr|</table)", page.text, re.DOTALL)
    code = re.search(r"id=([0-9a-f]{40})", rows[0])[1]
    assert [row.count(code) for row in rows] == [2] * len(rows), "its anchor, and the link to its form"


@one_engine
def test_a_symbolic_link_leads_to_its_target_an_empty_file_says_so_and_front_matter_is_a_table(
    browse, cast, shelf, stage
):
    repository = pygit2.Repository(str(RepositoryStorage.of(stage.folder).repo_path(cast.public.id)))
    tip = repository.references["refs/heads/master"].peel(pygit2.Commit)
    folder = repository.TreeBuilder()
    for name, target in (("up", b"../src/app.py"), ("out", b"../../etc"), ("root", b"/etc")):
        folder.insert(name, repository.create_blob(target), pygit2.enums.FileMode.LINK)
    tree = repository.TreeBuilder(tip.tree)
    tree.insert("links", folder.write(), pygit2.enums.FileMode.TREE)
    for name, text in (("none.txt", b""), ("none.md", b""), ("matter.md", b"---\ntitle: Links\n---\n")):
        tree.insert(name, repository.create_blob(text), pygit2.enums.FileMode.BLOB)
    who = pygit2.Signature("A", "a@example.com")
    repository.create_commit("refs/heads/links", who, who, "Links", tree.write(), [tip.id])
    guest, here = browse("guest"), f"/{cast.public.path}/blob/links"
    assert f'href="{here}/src/app.py">Open ../src/app.py</a>' in guest.open(f"{here}/links/up").text
    assert [">Open " in guest.open(f"{here}/links/{name}").text for name in ("out", "root")] == [False, False]
    for name in ("none.txt", "none.md"):
        assert "This file is empty." in guest.open(f"{here}/{name}").text
    assert '<th scope="row">title</th><td>Links</td>' in guest.open(f"{here}/matter.md").text


@one_engine
def test_raw_files_never_run_as_pages_of_this_site(browse, cast, shelf):
    browser = browse("anonymous")
    for path, kind in (
        ("src/app.py", "text/plain; charset=utf-8"),
        ("logo.png", "image/png"),
        ("blob.bin", "application/octet-stream"),
    ):
        answer = browser.open(f"/{cast.public.path}/raw/master/{path}")
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for path in (
        "/repository/v1/archive.zip",
        "/repository/archive.tar.gz?ref=feature/x",
        "/-/archive/v1/public-v1.zip",
        f"/commit/{shelf[1]}.diff",
        f"/commit/{shelf[0]}.patch",
        f"/commit/{shelf[0]}.diff",
    ):
        answer = browser.open(f"/{cast.public.path}{path}")
        assert (answer.status, bool(answer.body)) == (200, True), path


@one_engine
def test_a_tail_is_split_at_the_longest_ref(browse, cast, shelf):
    browser = browse("guest")
    here = f"/{cast.public.path}"
    assert browser.open(f"{here}/blob/feature/x/src/app.py").status == 200
    assert browser.open(f"{here}/tree/{shelf[0][:7]}/docs").status == 200
    assert browser.open(f"{here}/tree/HEAD").status == 200
    for path in (
        "/tree/none",
        "/tree/master/none",
        "/blob/feature/src/app.py",
        f"/tree/{shelf[0][:6]}",
        "/commit/0000000",
    ):
        assert browser.open(here + path).status == 404, path
    missing = browse("guest").open(f"{here}/commits/none")
    assert (missing.status, f'href="{here}/tree/feature/x"' in missing.text) == (404, True)
    assert browser.open(f"{here}/tree/master/README.md").headers["Location"] == f"{here}/blob/master/README.md"
    assert browser.open(f"{here}/blob/master/docs").headers["Location"] == f"{here}/tree/master/docs"


@one_engine
def test_a_commit_shows_its_lines_and_the_comments_on_them(browse, cast, shelf):
    page = browse("developer").open(f"/{cast.public.path}/commit/{shelf[1]}")
    assert re.search(r"<tr class=add id=[0-9a-f]{40}_6_4>", page.text)
    assert "<ins>" in page.text
    assert "<del>" in page.text
    assert "Why <em>this</em>?" in page.text
    code = re.search(r"<tr class=add id=([^>]*)>", page.text)[1]
    form = browse("developer").open(f"/{cast.public.path}/commit/{shelf[1]}", line=code)
    assert 'name="line_type" value="new"' in form.text


@one_engine
def test_a_page_of_changes_stays_below_a_megabyte_and_leads_to_the_rest(browse, cast, shelf):
    text = f"{'x' * 255}\n" * 300  # less than what lets a file start collapsed
    files = [{"action": "create", "file_path": f"wide/{n:02}", "content": text} for n in range(12)]
    head, developer = commit(cast, cast.public, "Wide", *files), browse("developer")
    here = f"/{cast.public.path}/commit/{head}"
    page = developer.open(here)
    assert len(page.body) < 1024 * 1024
    rest = re.findall(r'href="(\?file=[0-9a-f]{40})#', page.text)
    assert len(rest) == 6
    assert developer.open(here + rest[-1]).text.count("x" * 255) == 300


@one_engine
def test_the_totals_of_many_changed_files_are_those_of_the_commit(browse, cast, shelf, monkeypatch):
    """The list of files of a commit, a comparison or a merge request has a limit, the totals have none."""
    actions = [{"action": "create", "file_path": f"many/{n:02}", "content": "x\n" * n} for n in range(1, 31)]
    head = commit(cast, cast.public, "Many", *actions, branch="many", start_branch="master")
    made = cast.developer.post(
        f"/projects/{cast.public.id}/merge_requests", title="Many", source_branch="many", target_branch="master"
    ).json
    here, developer = f"/{cast.public.path}", browse("developer")
    # The limits change below, and what differs between two commits is kept.
    monkeypatch.setattr("mujina.code.commits.shown_changes._recent", RecentResults(0))
    pages = [f"{here}/commit/{head}", f"{here}/compare/master...many", f"{here}/merge_requests/{made['iid']}/diffs"]
    assert not any("are listed" in developer.open(page).text for page in pages)
    monkeypatch.setattr("mujina.adapters.git.reading.patches.MAX_FILES", 10)
    for page in pages:
        text = developer.open(page).text
        assert (page, "30 changed files" in text, "+465" in text) == (page, True, True)
        assert "Only the first 10 changed files of 30 are listed.</p>" in text
    monkeypatch.setattr("mujina.adapters.git.reading.patches.MAX_COUNT_SECONDS", -1)
    text = developer.open(pages[0]).text
    assert "of 30 are listed. The lines of some others are not counted." in text
    assert "+55" in text


@one_engine
def test_text_in_another_encoding_is_shown_as_text_and_stays_as_it_is(browse, cast, shelf):
    def write(action, text, encoding="latin-1", path="old.txt", **branch):
        content = base64.b64encode(text.encode(encoding)).decode()
        file = {"action": action, "file_path": path, "content": content, "encoding": "base64"}
        return commit(cast, cast.public, action, file, **branch)

    write("create", "Größe\n")
    head = write("update", "Größe\nÄpfel\n")
    here, api, developer = f"/{cast.public.path}", f"/projects/{cast.public.id}/repository", browse("developer")
    for page in ("blob/master/old.txt", "blame/master/old.txt", f"commit/{head}"):
        text = developer.open(f"{here}/{page}").text
        assert (page, "Größe" in text, "Äpfel" in text, "\ufffd" in text) == (page, True, True, False)
    assert f"{here}/edit/master/old.txt" not in developer.open(f"{here}/blob/master/old.txt").text
    [change] = cast.guest.get(f"{api}/commits/{head}/diff").json
    assert change["diff"].splitlines()[-2:] == [" Größe", "+Äpfel"]
    [passage] = cast.guest.get(f"{api}/files/old.txt/blame", ref="master").json[1:]
    assert passage["lines"] == ["Äpfel"]
    raw = "Größe\nÄpfel\n".encode("latin-1")
    assert cast.guest.get(f"{api}/files/old.txt/raw", ref="master").body == raw
    assert base64.b64decode(cast.guest.get(f"{api}/files/old.txt", ref="master").json["content"]) == raw
    assert developer.open(f"{here}/raw/master/old.txt").body == raw
    # A patch has the bytes: it has to fit the file.
    write("update", "Größe\nÖl\n", branch="newer", start_branch="master")
    made = cast.owner.post(
        f"/projects/{cast.public.id}/merge_requests", source_branch="newer", target_branch="master", title="Oil"
    )
    request = f"{here}/merge_requests/{made.json['iid']}"
    for patch in (f"{here}/commit/newer.diff", f"{here}/commit/newer.patch", f"{request}.diff", f"{request}.patch"):
        assert (patch, "-Äpfel\n+Öl\n".encode("latin-1") in developer.open(patch).body) == (patch, True)
    # What says that it is UTF-16 is shown as well, though git takes it for binary.
    write("create", "Größe\nÄpfel\n", "utf-16", "wide.txt")
    for page in ("blob", "blame"):
        text = developer.open(f"{here}/{page}/master/wide.txt").text
        assert (page, "Größe" in text, "Äpfel" in text) == (page, True, True)
    assert developer.open(f"{here}/raw/master/wide.txt").body == "Größe\nÄpfel\n".encode("utf-16")


@one_engine
def test_the_newest_commits_of_a_folder_are_fetched_later_where_they_take_long(browse, cast, shelf, monkeypatch):
    here = f"/{cast.public.path}"
    monkeypatch.setattr(folders.read_folder, "__kwdefaults__", {"wait_seconds": 0})
    page = browse("guest").open(f"{here}/tree/feature/x/src")
    fetched = re.search(r'hx-get="([^"]*)"', page.text)[1]
    assert (fetched, "Return a number" in page.text.partition('id="files"')[2]) == (
        f"{here}/refs/feature/x/logs_tree/src",
        False,
    )
    browser = browse("guest")
    browser.headers = {"hx-request": "true", "hx-target": "files"}
    rows = browser.open(fetched)
    assert rows.text.startswith('<table class="files"')
    assert "Return a number" in rows.text
    assert browse("guest").open(fetched).headers["Location"] == f"{here}/tree/feature/x/src"


@one_engine
def test_commits_have_a_feed(browse, cast, shelf):
    feed = browse("anonymous").open(f"/{cast.public.path}/commits/feature/x", format="atom")
    assert feed.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    entries = ET.fromstring(feed.text).findall("{*}entry")
    assert [entry.findtext("{*}title") for entry in entries] == ["Return a number", "First commit"]
    assert "@" not in feed.text


@one_engine
def test_an_empty_repository_tells_how_to_start(browse, cast):
    assert "git push -u origin master" in browse("developer").open(f"/{cast.internal.path}").text
    assert "Nothing has been pushed yet." in browse("reporter").open(f"/{cast.internal.path}").text
    master = browse("master")
    assert master.open(f"/{cast.internal.path}/new/master").status == 200
    first = {"file_path": "README.md", "content": "# Hi", "commit_message": "Add a file", "branch": "main"}
    assert master.send(f"/{cast.internal.path}/create/master", file=first).status == 303
    assert ">Hi</h3>" in master.open(f"/{cast.internal.path}").text


@one_engine
def test_an_import_shows_its_state(browse, cast):
    stored = "UPDATE projects SET import_status = :status, import_error = :error WHERE id = :id"
    cast.run(stored, status="started", error=None, id=cast.internal.id)
    page = browse("reporter").open(f"/{cast.internal.path}").text
    assert "Import in progress" in page
    assert 'http-equiv="refresh"' in page
    cast.run(stored, status="failed", error="no such host", id=cast.internal.id)
    assert "no such host" in browse("master").open(f"/{cast.internal.path}").text
    assert "no such host" not in browse("reporter").open(f"/{cast.internal.path}").text


@pytest.fixture
def unprotected(cast, shelf):
    """The page of a project whose default branch developers push to."""
    cast.owner.delete(f"/projects/{cast.public.id}/protected_branches/master")
    return f"/{cast.public.path}"


@one_engine
def test_a_file_is_created_in_the_browser(browse, unprotected):
    developer, create = browse("developer"), f"{unprotected}/create/master/docs"
    developer.open(f"{unprotected}/new/master/docs")
    blank = {"file_path": "docs/new.md", "content": "a", "commit_message": " ", "branch": "master"}
    refused = developer.send(create, file=blank)
    assert (refused.status, "docs/new.md" in refused.text) == (422, True)
    saved = developer.send(create, file={**blank, "commit_message": "Add it", "content": "a\r\nb"})
    assert (saved.status, saved.headers["Location"]) == (303, f"{unprotected}/blob/master/docs/new.md")
    assert developer.open(f"{unprotected}/raw/master/docs/new.md").text == "a\nb\n"


@one_engine
def test_an_edit_shows_what_changed_meanwhile_and_moves_to_a_branch(browse, cast, unprotected):
    developer, edit = browse("developer"), f"{unprotected}/edit/master/docs/new.md"
    commit(cast, cast.public, "Add it", {"action": "create", "file_path": "docs/new.md", "content": "a"})
    developer.open(edit)
    last = developer.field("file[last_commit_id]")
    change = {"file_path": "docs/new.md", "content": "mine", "commit_message": "Mine", "branch": "master"}
    commit(cast, cast.public, "Theirs", {"action": "update", "file_path": "docs/new.md", "content": "theirs"})
    conflict = developer.send(edit, file={**change, "last_commit_id": last, "start_merge_request": "true"})
    assert (conflict.status, len(re.findall(r"<input[^>]* checked", conflict.text))) == (409, 1)
    assert all(words in conflict.text for words in ("Someone changed this file", "mine", "theirs"))
    last = developer.field("file[last_commit_id]")
    branch = {"last_commit_id": last, "branch": "mine", "file_path": "docs/moved.md", "start_merge_request": "true"}
    moved = developer.send(edit, file=change | branch)
    assert (moved.status, "/merge_requests/new?" in moved.headers["Location"]) == (303, True)
    assert developer.open(f"{unprotected}/raw/mine/docs/moved.md").text == "mine\n"
    assert developer.open(f"{unprotected}/raw/mine/docs/new.md").status == 404


@one_engine
def test_an_edit_keeps_line_ends_and_refuses_other_encodings(browse, cast, unprotected):
    developer, edit = browse("developer"), f"{unprotected}/edit/master"
    data = {"old.txt": b"a\r\nb\r\n", "latin.txt": b"caf\xe9\n"}
    made = [
        {"action": "create", "file_path": path, "content": base64.b64encode(text).decode(), "encoding": "base64"}
        for path, text in data.items()
    ]
    commit(cast, cast.public, "Old files", *made)
    developer.open(f"{edit}/old.txt")
    change = {"file_path": "old.txt", "content": "a\r\nc", "commit_message": "Mine", "branch": "master"}
    change["last_commit_id"] = developer.field("file[last_commit_id]")
    assert developer.send(f"{edit}/old.txt", file=change).status == 303
    assert developer.open(f"{unprotected}/raw/master/old.txt").body == b"a\r\nc\r\n"
    assert developer.open(f"{edit}/latin.txt").status == 404
    assert "/edit/master/latin.txt" not in developer.open(f"{unprotected}/blob/master/latin.txt").text


@one_engine
def test_a_file_is_deleted_in_the_browser(browse, unprotected):
    developer, deletion = browse("developer"), {"commit_message": "Away", "branch": "master"}
    developer.open(f"{unprotected}/delete/master/src/app.py")
    assert developer.send(f"{unprotected}/delete/master/src/app.py", token=None, **deletion).status == 422
    assert developer.send(f"{unprotected}/delete/master/src/app.py", **deletion).status == 303
    assert developer.open(f"{unprotected}/blob/master/src/app.py").status == 404


@one_engine
def test_a_new_branch_is_offered_instead_of_a_protected_one(browse, cast, shelf):
    developer, here = browse("developer"), f"/{cast.public.path}"
    cast.owner.post(f"/projects/{cast.public.id}/repository/branches", branch="developer-patch-1", ref="master")
    cast.owner.post(f"/projects/{cast.public.id}/protected_branches", name="*-patch-2", push_access_level=40)
    forms = ((f"{here}/new/master", "file[%s]"), (f"{here}/edit/master/src/app.py", "file[%s]"),
             (f"{here}/delete/master/src/app.py", "%s"))  # fmt: skip
    for path, name in forms:
        page = developer.open(path).text
        offered, merge = developer.field(name % "branch"), re.findall(r"<input[^>]* checked", page)
        assert (path, offered, len(merge)) == (path, "developer-patch-3", 1)
        assert "You may not push to master: this creates a branch that starts there." in page
    change = {"commit_message": "Away", "branch": "developer-patch-3", "start_merge_request": "true"}
    deleted = developer.send(f"{here}/delete/master/src/app.py", **change)
    assert (deleted.status, "/merge_requests/new?" in deleted.headers["Location"]) == (303, True)
    assert "developer-patch-3" in developer.open(deleted.headers["Location"]).text
    assert developer.open(f"{here}/blob/developer-patch-3/src/app.py").status == 404
    developer.open(f"{here}/new/feature/x")
    assert developer.field("file[branch]") == "feature/x"
    cast.owner.post(f"/projects/{cast.public.id}/protected_branches", name="developer-*", push_access_level=40)
    developer.open(f"{here}/new/master")
    assert developer.field("file[branch]") == "master", "no name is allowed"
    owner = browse("owner")
    page = owner.open(f"{here}/delete/master/src/app.py").text
    assert (owner.field("branch"), "Another name creates a branch." in page) == ("master", True)


@one_engine
def test_branches_tags_stars_forks_and_comments_are_made_in_the_browser(browse, cast, shelf):
    owner, here = browse("owner"), f"/{cast.public.path}"
    owner.open(f"{here}/branches/new")
    assert owner.send(f"{here}/branches", branch="feature/x", ref="master").status == 422
    assert owner.send(f"{here}/branches", branch="topic/1", ref="v1").headers["Location"] == f"{here}/tree/topic/1"
    assert owner.send(f"{here}/branches/topic/1/delete").status == 303
    assert "topic/1" not in owner.open(f"{here}/branches", state="all").text
    assert owner.send(f"{here}/tags", tag_name="v2", ref="master", message="Two", release_description="").status == 303
    assert owner.send(f"{here}/tags/v2/release", description="See #1").status == 303
    assert f'href="{here}/issues/1"' in owner.open(f"{here}/tags/v2").text
    developer = browse("developer")
    assert "Delete tag" not in developer.open(f"{here}/tags/v2").text
    assert developer.send(f"{here}/tags/v2/delete").status == 403
    assert "Delete tag" in owner.open(f"{here}/tags/v2").text
    assert owner.send(f"{here}/tags/v2/delete").status == 303
    for verb, button in (("star", "Unstar"), ("star", "Unstar"), ("unstar", "Star")):
        assert owner.send(f"{here}/{verb}").status == 303
        page = owner.open(here).text
        assert (f"{button}</button>" in page, f'<a class="button" href="{here}/starrers">' in page) == (True, True)
        assert ("@owner" in browse("stranger").open(f"{here}/starrers").text) == (verb == "star")
    assert browse("anonymous").open(f"{here}/starrers").status == 302
    assert f"{here}/starrers" not in browse("anonymous").open(here).text
    assert owner.send("/profile/preferences", preferences={"project_view": "activity"}).status == 303
    page = owner.open(here).text
    assert ("pushed" in page, "Clone" in page, 'id="files"' in page) == (True, True, False)
    assert owner.send("/profile/preferences", preferences={"project_view": "files"}).status == 303
    comment = owner.send(
        f"{here}/commit/{shelf[1]}/notes", body="<b>Hm</b>", path="src/app.py", line=5, line_type="new"
    )
    assert comment.headers["Location"].startswith(f"{here}/commit/{shelf[1]}?note=")
    assert "<b>Hm</b>" in owner.open(f"{here}/commit/{shelf[1]}").text
    owner.open(f"{here}/forks/new")
    fork = owner.send(f"{here}/forks", namespace="", name="Copy", path="copy")
    assert (fork.status, fork.headers["Location"]) == (303, "/owner/copy")
    assert browse("guest").send(f"{here}/star").status == 422


@one_engine
def test_a_fork_is_offered_the_namespaces_in_which_one_may_create_projects(browse, cast):
    managed, below = chain(cast.owner, "managed", "below")
    joined = make_group(cast.owner, "joined")
    for group, level in ((managed, 40), (joined, 30)):
        cast.owner.post(f"/groups/{group['id']}/members", user_id=cast.stranger.id, access_level=level)
    page = browse("stranger").open(f"/{cast.public.path}/forks/new").text
    offered = re.findall(r"<option[^>]*>([^<]*)", page)
    assert offered == ["stranger", managed["full_path"], below["full_path"]]


@one_engine
def test_replies_to_a_comment_stand_with_it_on_its_line(browse, cast, shelf):
    discussions = f"/projects/{cast.public.id}/repository/commits/{shelf[1]}/discussions"
    (about_line,) = cast.owner.get(discussions).json
    whole = cast.owner.post(discussions, body="First of all").json
    cast.owner.post(discussions, body="Then another")
    assert cast.stranger.post(f"{discussions}/{whole['id']}/notes", body="A reply to it").status == 201
    assert cast.stranger.post(f"{discussions}/{about_line['id']}/notes", body="On the line").status == 201
    page = browse("anonymous").open(f"/{cast.public.path}/commit/{shelf[1]}").text
    texts = ("Why <em>this</em>?", "On the line", 'id="comments"', "First of all", "A reply to it", "Then another")
    places = [page.index(text) for text in texts]
    assert places == sorted(places)


HOSTILE = "\"><img src=x onerror=x>{{7*7}}'\u202e"


@one_engine
def test_hostile_names_and_texts_stay_text(browse, cast):
    project, here = cast.public, f"/{cast.public.path}"
    name = HOSTILE.replace("/", "")
    actions = [
        {"action": "create", "file_path": f"{name}.py", "content": f"# {HOSTILE}\n"},
        {
            "action": "create",
            "file_path": "README.md",
            "content": f"# {HOSTILE}\n\n[{HOSTILE}](<{HOSTILE}>) ~{HOSTILE}",
        },
        {"action": "create", "file_path": "a.csv", "content": f"a,{HOSTILE}\n"},
    ]
    sha = commit(cast, project, f"{HOSTILE}\n\n{HOSTILE}", *actions, author_name=HOSTILE, author_email="a@b")
    branch = "\"><img'{{7}}"
    more = {"action": "update", "file_path": "a.csv", "content": f"b,{HOSTILE}\n"}
    commit(cast, project, HOSTILE, more, branch=branch, start_branch="master")
    api = f"/projects/{project.id}/repository"
    assert (
        cast.owner.post(
            f"{api}/tags", tag_name="'\"><i", ref="master", message=HOSTILE, release_description=HOSTILE
        ).status
        == 201
    )
    assert cast.owner.post(f"{api}/commits/{sha}/comments", note=HOSTILE, path="a.csv", line=1).status == 201
    owner, path, ref = browse("owner"), quote(name), quote(branch)
    for page in (
        "", "/tree/master", f"/tree/{ref}", f"/blob/master/{path}.py", "/blob/master/README.md", "/blob/master/a.csv",
        f"/blame/master/{path}.py", f"/commits/{ref}", f"/commit/{sha}", f"/commit/{sha}?view=parallel",
        f"/compare/master...{ref}", "/branches?state=all", "/tags", f"/find_file/{ref}", f"/edit/master/{path}.py",
        "/graphs/master", f"/commits/master/{path}.py", f"/branches?search={path}", f"/find_file/master?search={path}",
    ):  # fmt: skip
        answer = owner.open(f"{here}{page}")
        assert answer.status == 200, page
        parsed = ParsedPage(answer.text)
        assert list(parsed.faults()) == [], page
        assert not [image for image in parsed.tree.css("img") if image.attributes.get("src") == "x"], page
