"""Snippets of several files: `files` of the API, and the page."""

import pytest

from tests.harness.cases import Case, cases

FILES = [{"file_path": "a.py", "content": "first()"}, {"file_path": "lib/b é.py", "content": "Second()"}]


@pytest.fixture
def snippet(cast):
    """A snippet of the guest with two files."""
    made = cast.guest.post("/snippets", title="Two", files=FILES, visibility="public")
    assert made.status == 201, made
    return made.json


def paths(snippet):
    return [file["path"] for file in snippet["files"]]


def raw(cast, snippet, path):
    return cast.guest.get(f"/snippets/{snippet['id']}/files/main/{path}/raw")


def test_the_first_file_is_what_older_clients_see(cast, snippet):
    assert (snippet["file_name"], paths(snippet)) == ("a.py", ["a.py", "lib/b é.py"])
    assert cast.guest.get(f"/snippets/{snippet['id']}/raw").body == b"first()"
    assert raw(cast, snippet, "lib%2Fb%20%C3%A9.py").body == b"Second()"
    assert raw(cast, snippet, "a.py").body == b"first()"
    missing = raw(cast, snippet, "c.py")
    assert (missing.status, missing.json) == (404, {"message": "404 File Not Found"})
    assert [each["files"] for each in cast.guest.get("/snippets").json] == [snippet["files"]]
    assert snippet["id"] in [each["id"] for each in cast.stranger.get("/snippets/all").json]


def test_files_are_created_changed_moved_and_deleted(cast, snippet):
    path = f"/snippets/{snippet['id']}"
    changed = cast.guest.put(path, files=[
        {"action": "create", "file_path": "c.py", "content": "third()"},
        {"action": "update", "file_path": "a.py", "content": "changed()"},
        {"action": "move", "previous_path": "lib/b é.py", "file_path": "b.py"},
    ])  # fmt: skip
    assert (changed.status, paths(changed.json)) == (200, ["a.py", "b.py", "c.py"])
    assert [raw(cast, snippet, name).body for name in ("a.py", "b.py", "c.py")] == [
        b"changed()",
        b"Second()",
        b"third()",
    ]
    less = cast.guest.put(path, files=[{"action": "delete", "file_path": "a.py"}])
    assert (less.json["file_name"], paths(less.json)) == ("b.py", ["b.py", "c.py"])
    assert cast.guest.put(path, title="Only a title").json["files"] == less.json["files"]
    assert cast.guest.put(path, content="as before").json["files"] == less.json["files"]
    assert raw(cast, snippet, "b.py").body == b"as before"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"action": "create", "file_path": "a.py", "content": "x"}, {"message": {"files": ["a.py already exists"]}}),
        ({"action": "update", "file_path": "z.py", "content": "x"}, {"message": {"files": ["z.py does not exist"]}}),
        ({"action": "move", "previous_path": "a.py", "file_path": "lib/b é.py"},
         {"message": {"files": ["lib/b é.py already exists"]}}),
        ({"action": "create", "file_path": "../a.py", "content": "x"}, {"message": {"files": ["have a path that is not allowed"]}}),
        ({"action": "create", "file_path": "/a.py", "content": "x"}, {"message": {"files": ["have a path that is not allowed"]}}),
        ({"action": "create", "file_path": "c.py", "content": " "}, {"message": {"files": ["have no content"]}}),
        ({"action": "burn", "file_path": "a.py"}, {"error": "action does not have a valid value"}),
        ({"file_path": "a.py"}, {"message": '400 (Bad request) "action" not given', "error": "action is missing"}),
    ],
)  # fmt: skip
def test_what_cannot_be_done_changes_nothing(cast, snippet, change, complaint):
    answer = cast.guest.put(
        f"/snippets/{snippet['id']}", files=[{"action": "create", "file_path": "y", "content": "y"}, change]
    )
    assert (answer.status, answer.json) == (400, complaint)
    assert cast.guest.get(f"/snippets/{snippet['id']}").json == snippet


def test_a_snippet_has_one_to_ten_files(cast, snippet):
    several = {"message": {"files": ["have to be 1 to 10"]}}
    every = [{"action": "delete", "file_path": path} for path in paths(snippet)]
    assert cast.guest.put(f"/snippets/{snippet['id']}", files=every).json == several
    many = [{"file_path": f"{n}.py", "content": "x"} for n in range(11)]
    assert cast.guest.post("/snippets", title="Many", files=many).json == several
    assert cast.guest.post("/snippets", title="Ten", files=many[1:]).status == 201
    twice = cast.guest.post("/snippets", title="Twice", files=[many[0], many[0]])
    assert twice.json == {"message": {"files": ["have the same path"]}}


@cases([
    Case("guest", "POST /snippets", 400,
         {"message": '400 (Bad request) "file_name" not given', "error": "file_name is missing, content is missing"},
         {"title": "x"}),
    Case("guest", "POST /snippets", 400, {"error": "files, content are mutually exclusive"},
         {"title": "x", "content": "x", "files": FILES}),
    Case("guest", "POST /snippets", 400, {"error": "files is invalid"}, {"title": "x", "files": "x"}),
    Case("guest", "POST /snippets", 400,
         {"message": '400 (Bad request) "content" not given', "error": "content is missing"},
         {"title": "x", "files": [{"file_path": "a"}]}),
    Case("guest", "POST /projects/{private.id}/snippets", 403, params={"title": "x", "visibility": "private", "files": FILES}),
    Case("reporter", "POST /projects/{private.id}/snippets", 201, params={"title": "x", "visibility": "private", "files": FILES}),
])  # fmt: skip
def test_files_take_the_place_of_the_older_parameters(case, cast):
    case.holds(cast)


def test_files_of_a_project_are_for_its_readers(cast):
    at = f"/projects/{cast.private.id}/snippets"
    made = cast.reporter.post(at, title="x", visibility="private", files=FILES).json
    path = f"{at}/{made['id']}/files/HEAD/a.py/raw"
    assert (cast.guest.get(path).body, cast.stranger.get(path).status, cast.anonymous.get(path).status) == (
        b"first()",
        404,
        404,
    )


def test_every_file_is_searched(cast, snippet):
    assert [each["id"] for each in cast.guest.get("/search", scope="snippet_blobs", search="second").json] == [
        snippet["id"]
    ]


def test_the_page_shows_one_file_and_leads_to_the_others(browse, cast, snippet):
    guest, here = browse("guest"), f"/snippets/{snippet['id']}"
    page = guest.open(here).text
    assert ("first" in page, "Second" in page) == (True, False)
    assert f"{here}?file=lib/b%20%C3%A9.py" in page
    assert "Second" in guest.open(f"{here}?file=lib/b%20%C3%A9.py").text
    assert guest.open(f"{here}/raw?file=lib/b%20%C3%A9.py").text == "Second()"
    assert guest.open(f"{here}?file=none").status == 404


def test_the_form_has_every_file_and_room_for_another(browse, cast, snippet):
    guest, here = browse("guest"), f"/snippets/{snippet['id']}"
    form = guest.open(f"{here}/edit").text
    assert ("Second()" in form, "Another file" in form) == (True, True)
    fields = {"title": "Two", "file_name": "a.py", "content": "first()", "visibility": "public"}
    files = {
        "0": {"file_path": "b.py", "content": "x\r\n"},
        "1": {"file_path": "c.py", "content": "y"},
        "2": {"file_path": "", "content": ""},
    }
    assert guest.send(here, snippet=fields | {"files": files}).status == 303
    assert paths(cast.guest.get(here).json) == ["a.py", "b.py", "c.py"]
    assert raw(cast, snippet, "b.py").body == b"x\n"
    refused = guest.send(here, snippet=fields | {"files": {"0": {"file_path": "a.py", "content": "x"}}})
    assert (refused.status, "have the same path" in refused.text) == (422, True)
    assert guest.send(here, snippet=fields | {"files": {"0": {"file_path": "", "content": ""}}}).status == 303
    assert paths(cast.guest.get(here).json) == ["a.py"]
