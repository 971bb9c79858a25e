import json

import pytest

from tests.harness.cases import Case, cases
from tests.harness.client import Raw

LONG_AGO = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
TEXT = {"title": "Hello", "file_name": "hello.py", "content": "print()"}


@pytest.fixture
def snippet(cast):
    def make(visibility="private", **more):
        made = cast.guest.post("/snippets", **TEXT | {"visibility": visibility} | more)
        assert made.status == 201, made
        return made.json

    return make


@cases(
    [
        Case("anonymous", "GET /snippets", 401),
        Case("anonymous", "GET /snippets/public", 401),
        Case("anonymous", "POST /snippets", 401),
        Case("guest", "GET /snippets", 200, []),
        Case("guest", "GET /snippets/999999", 404, {"message": "404 Snippet Not Found"}),
        Case("guest", "POST /snippets", 400, params={"title": "x"}),
        Case("guest", "POST /snippets", 400, {"message": {"title": ["can't be blank"], "content": ["can't be blank"]}},
             params={"title": "", "file_name": "x", "content": ""}, events=[]),
        Case("guest", "POST /snippets", 400, {"error": "visibility does not have a valid value"},
             params=TEXT | {"visibility": "secret"}),
    ]
)  # fmt: skip
def test_snippets_are_for_people_who_signed_in(case, cast):
    case.holds(cast)


def test_a_snippet_is_made_shown_changed_and_removed(cast, snippet):
    made = snippet(description="greets")
    assert made | {"id": 0, "created_at": "", "updated_at": "", "author": made["author"]["username"]} == {
        "id": 0, "title": "Hello", "file_name": "hello.py", "description": "greets", "visibility": "private",
        "author": "guest", "created_at": "", "updated_at": "", "project_id": None,
        "web_url": f"http://mujina.test/snippets/{made['id']}",
        "raw_url": f"http://mujina.test/snippets/{made['id']}/raw",
        "files": [
            {"path": "hello.py", "raw_url": f"http://mujina.test/snippets/{made['id']}/raw?file=hello.py"}
        ],
    }  # fmt: skip
    path = f"/snippets/{made['id']}"
    assert cast.guest.get(path).json == made
    assert cast.guest.get("/snippets").json == [made]
    changed = cast.guest.put(path, title="Bye", content="exit()")
    assert (changed.status, changed.json["title"], changed.json["file_name"]) == (200, "Bye", "hello.py")
    raw = cast.guest.get(f"{path}/raw")
    assert (raw.body, raw.headers["content-type"]) == (b"exit()", "text/plain; charset=utf-8")
    assert "sandbox" in raw.headers["content-security-policy"]
    assert cast.guest.put(path).status == 400
    assert cast.guest.delete(path, LONG_AGO).status == 412
    assert cast.guest.delete(path).status == 204
    assert cast.guest.get(path).status == 404


@pytest.mark.parametrize(
    ("visibility", "stranger", "external"), [("private", 404, 404), ("internal", 200, 404), ("public", 200, 200)]
)
def test_the_visibility_of_a_snippet_decides_who_reads_it(cast, snippet, visibility, stranger, external):
    path = f"/snippets/{snippet(visibility)['id']}"
    for tail in ("", "/raw"):
        assert cast.stranger.get(path + tail).status == stranger
        assert cast.external.get(path + tail).status == external
        assert cast.root.get(path + tail).status == 200
    assert cast.stranger.delete(path).status == (403 if stranger == 200 else 404)
    assert cast.stranger.put(path, title="mine").status == (403 if stranger == 200 else 404)
    listed = [each["visibility"] for each in cast.stranger.get("/snippets/public").json]
    assert listed == (["public"] if visibility == "public" else [])
    assert cast.root.delete(path).status == 204


@pytest.fixture
def kept(cast):
    def make(person=cast.reporter, project=cast.private, visibility="private"):
        return person.post(
            f"/projects/{project.id}/snippets", title="Hello", file_name="a.py", code="print()", visibility=visibility
        )

    return make


def test_reporters_keep_snippets_in_a_project(cast, kept):
    assert kept(cast.anonymous).status == 401
    assert kept(cast.stranger).status == 404
    assert kept(cast.guest).status == 403
    made = kept()
    assert made.status == 201
    path = f"/projects/{cast.private.id}/snippets/{made.json['id']}"
    assert made.json["web_url"] == f"http://mujina.test/{cast.private.path}/snippets/{made.json['id']}"
    assert cast.guest.get(path).json == made.json
    assert cast.guest.get(f"{path}/raw").body == b"print()"
    assert cast.guest.get(f"/projects/{cast.private.id}/snippets").json == [made.json]
    assert cast.stranger.get(path).status == 404
    assert cast.developer.put(path, title="mine").status == 403
    assert cast.reporter.put(path, code="exit()").status == 200
    assert cast.guest.get(f"{path}/raw").body == b"exit()"
    assert cast.reporter.get(f"/snippets/{made.json['id']}").status == 404
    assert cast.reporter.get("/snippets").json == []
    assert cast.developer.delete(path).status == 403
    assert cast.master.delete(path, LONG_AGO).status == 412
    assert cast.master.delete(path).status == 204
    assert cast.guest.get(path).json == {"message": "404 Snippet Not Found"}


def test_the_text_of_a_project_snippet_may_be_called_content_too(cast):
    at = f"/projects/{cast.private.id}/snippets"
    said = {"title": "Hello", "file_name": "a.py", "visibility": "private"}
    neither = {"error": "code, content are missing, at least one parameter must be provided"}
    assert cast.reporter.post(at, **said).json == neither
    assert cast.reporter.post(at, **said, content="").json == {"message": {"content": ["can't be blank"]}}
    path = f"{at}/{cast.reporter.post(at, **said, content='print()').json['id']}"
    assert cast.guest.get(f"{path}/raw").body == b"print()"
    assert cast.reporter.put(path, content="exit()").status == 200
    assert cast.guest.get(f"{path}/raw").body == b"exit()"


def test_a_private_snippet_of_a_public_project_is_for_its_members(cast, kept):
    hidden = kept(project=cast.public).json["id"]
    shown = kept(project=cast.public, visibility="public").json["id"]
    at = f"/projects/{cast.public.id}/snippets"
    for person in (cast.anonymous, cast.stranger):
        assert [each["id"] for each in person.get(at).json] == [shown]
        assert person.get(at).headers["X-Total"] == "1"
        assert person.get(f"{at}/{hidden}").status == 404
        assert person.get(f"{at}/{shown}").status == 200
    assert len(cast.guest.get(at).json) == 2
    assert cast.guest.get(f"/projects/{cast.private.id}/snippets/{shown}").status == 404


def test_a_project_without_snippets_has_none(cast, kept):
    made = kept().json["id"]
    cast.owner.put(f"/projects/{cast.private.id}", snippets_enabled=False)
    assert kept().status == 403
    assert cast.reporter.get(f"/projects/{cast.private.id}/snippets/{made}").status == 403


def test_an_administrator_sees_from_where_a_snippet_was_created(cast):
    for place in ("/snippets", f"/projects/{cast.private.id}/snippets"):
        body = json.dumps(TEXT | {"code": "print()", "visibility": "private"}).encode()
        raw = Raw(headers={"User-Agent": "curl/7.58"}, body=body, type="application/json")
        path = f"{place}/{cast.reporter.post(place, raw).json['id']}/user_agent_detail"
        assert cast.root.get(path).json == {
            "user_agent": "curl/7.58", "ip_address": "127.0.0.1", "akismet_submitted": False,
        }  # fmt: skip
        assert [person.get(path).status for person in (cast.reporter, cast.owner, cast.anonymous)] == [403, 403, 401]
        missing = cast.root.get(f"{place}/999999/user_agent_detail")
        assert (missing.status, missing.json) == (404, {"message": "404 Snippet Not Found"})
