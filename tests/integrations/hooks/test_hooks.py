"""Hooks of projects and groups as resources; what they get is in `tests/integrations/deliveries`."""

import pytest

from tests.harness.cases import ANYTHING, Case, Has, cases
from tests.harness.client import Raw

URL = "https://me:p%40ssword@hooks.example.org/path?x=1"
HERE, THERE = "/projects/{private.id}/hooks", "/groups/{team.id}/hooks"
INVALID_URL = {"error": "Invalid url given"}
DEFAULTS = {
    "push_events": True, "tag_push_events": False, "issues_events": False, "confidential_issues_events": False,
    "note_events": False, "confidential_note_events": False, "merge_requests_events": False, "job_events": False,
    "pipeline_events": False, "wiki_page_events": False, "repository_update_events": False,
    "enable_ssl_verification": True, "alert_status": "executable", "disabled_until": None, "releases_events": False,
    "deployment_events": False, "name": None, "description": None, "push_events_branch_filter": "",
    "custom_webhook_template": None, "url_variables": [],
}  # fmt: skip
TEXTS = {
    "name": "A name", "description": "For what", "push_events_branch_filter": "release-*",
    "custom_webhook_template": '{"x": "{{object_kind}}"}', "releases_events": True, "deployment_events": True,
}  # fmt: skip

CASES = [
    *(Case(who, f"{verb} {HERE}{rest}", status, ANYTHING, {"url": URL}, events=[])
      for who, status in (("anonymous", 401), ("stranger", 404), ("developer", 403))
      for verb, rest in (("GET", ""), ("POST", ""), ("GET", "/1"), ("PUT", "/1"), ("DELETE", "/1"))),
    *(Case(who, f"{verb} {THERE}{rest}", status, ANYTHING, {"url": URL}, events=[])
      for who, status in (("anonymous", 401), ("stranger", 403), ("inherited", 403))
      for verb, rest in (("GET", ""), ("POST", ""), ("GET", "/1"), ("PUT", "/1"), ("DELETE", "/1"))),
    Case("master", f"GET {HERE}", 200, [], statements=5),
    Case("owner", f"GET {THERE}", 200, []),
    Case("master", f"GET {HERE}/1", 404, {"message": "404 Hook Not Found"}),
    Case("master", f"DELETE {HERE}/1", 204, None, events=[]),
    Case("master", f"PUT {HERE}/1", 404, {"message": "404 Hook Not Found"}, {"url": URL}),
    Case("master", f"POST {HERE}", 201, Has(DEFAULTS, url=URL), {"url": f" {URL} "}, events=["hook.created"]),
    Case("owner", f"POST {THERE}", 201, Has(DEFAULTS, url=URL), {"url": URL}, events=["hook.created"]),
    Case("master", f"POST {HERE}", 201, Has(DEFAULTS, wiki_page_events=True, job_events=True, push_events=False),
         {"url": URL, "wiki_events": True, "build_events": "1", "push_events": "false"}),
    Case("master", f"POST {HERE}", 201, Has(TEXTS), {"url": URL, **TEXTS}),
    Case("owner", f"POST {THERE}", 201, Has(TEXTS), {"url": URL, **TEXTS}),
    Case("master", f"POST {HERE}", 400, {"message": {"name": ["is too long (maximum is 255 characters)"]}},
         {"url": URL, "name": "x" * 256}),
    Case("master", f"POST {HERE}", 400, {"message": '400 (Bad request) "url" not given', "error": "url is missing"}),
    Case("master", f"POST {HERE}", 400, {"error": "push_events is invalid"}, {"url": URL, "push_events": "perhaps"}),
    *(Case("master", f"POST {HERE}", 400, {"message": {"token": ["is invalid"]}}, {"url": URL, "token": token})
      for token in ("a\r\nX-Other: 1", "a\nb", "a\x7fb")),
    Case("master", f"POST {HERE}", 400, {"message": {"token": ["is too long (maximum is 2000 characters)"]}},
         {"url": URL, "token": "x" * 2001}),
    *(Case("master", f"POST {HERE}", 422, INVALID_URL, {"url": url}, events=[])
      for url in ("", None, "  ", "hello", "ftp://example.org/", "javascript:alert(1)", "http://", "http://a b/",
                  "http://[::1", "https://example.org:99999/", "https://example.org/" + "x" * 2000, "//example.org/",
                  "http://exa\\mple.org/", "http://-example.org/")),
    Case("owner", f"POST {THERE}", 422, INVALID_URL, {"url": "http://127.0.0.1/"}, events=[]),
]  # fmt: skip

FORBIDDEN_HOSTS = [
    "127.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0.0.0.0",
    "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "[::1]", "[::]", "[::ffff:10.0.0.1]",
    "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255", "8.8.8.8:22",
]  # fmt: skip


@cases(CASES)
def test_hooks_as_resources(case, cast):
    case.holds(cast)


def test_a_url_is_refused_for_any_spelling_of_an_address_that_may_not_be_called(cast):
    there = f"/projects/{cast.private.id}/hooks"
    hook = cast.master.post(there, url=URL).json["id"]
    for host in FORBIDDEN_HOSTS:
        for answer in (
            cast.master.post(there, url=f"http://{host}/"),
            cast.master.put(f"{there}/{hook}", url=f"http://{host}/"),
        ):
            assert (answer.status, answer.json) == (422, INVALID_URL), host
    assert [each["url"] for each in cast.master.get(there).json] == [URL]


@pytest.mark.parametrize("place", ["projects", "groups"])
def test_a_hook_is_edited_and_removed_once(cast, place):
    who, owner = (cast.master, cast.private) if place == "projects" else (cast.owner, cast.team)
    there = f"/{place}/{owner.id}/hooks"
    made = who.post(there, url=URL, token="a-token-of-a-hook", note_events=True).json
    assert set(made) == {*DEFAULTS, "id", "url", "created_at", "project_id" if place == "projects" else "group_id"}
    assert made["project_id" if place == "projects" else "group_id"] == owner.id
    other = who.post(there, url="https://other.example.org/").json
    assert who.get(there).json == [made, other]
    second = who.get(there, page=2, per_page=1)
    assert (second.json, second.headers["X-Total"]) == ([other], "2")
    here = f"{there}/{made['id']}"
    assert who.put(here).json["error"] == "url is missing"
    edited = who.put(here, url="https://new.example.org/", issues_events=True, push_events=None, token="")
    assert edited.status == 200
    assert edited.json == {**made, "url": "https://new.example.org/", "issues_events": True}
    assert who.get(here).json == edited.json
    stale = who.delete(here, Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2018 00:00:00 GMT"}))
    assert stale.status == 412
    gone = who.delete(here)
    assert (gone.status, gone.json) == (200, edited.json)
    again = who.delete(here)
    assert (again.status, again.body) == (204, b"")
    assert who.get(here).status == 404
    assert cast.events()[-4:] == ["hook.created", "hook.created", "hook.updated", "hook.deleted"]


def test_a_hook_of_another_owner_is_as_missing(cast):
    hook = cast.master.post(f"/projects/{cast.private.id}/hooks", url=URL).json["id"]
    group = cast.owner.post(f"/groups/{cast.team.id}/hooks", url=URL).json["id"]
    for path in (f"/projects/{cast.public.id}/hooks/{hook}", f"/groups/{cast.team.id}/hooks/{hook}",
                 f"/projects/{cast.private.id}/hooks/{group}", f"/hooks/{hook}", f"/hooks/{group}"):  # fmt: skip
        assert cast.root.delete(path).status == (404 if path.startswith("/hooks") else 204), path
    assert cast.root.get(f"/projects/{cast.private.id}/hooks/{hook}").status == 200
    assert cast.root.get(f"/groups/{cast.team.id}/hooks/{group}").status == 200


def test_the_secrets_of_a_hook_are_encrypted_and_in_no_event(cast):
    cast.master.post(f"/projects/{cast.private.id}/hooks", url=URL, token="a-token-of-a-hook")
    events = cast.rows("SELECT changes FROM events WHERE kind = 'hook.created'")
    found = str(cast.rows("SELECT url, token FROM hooks") + events)
    assert "v1:" in found
    assert not [secret for secret in ("ssword", "a-token-of-a-hook", "hooks.example.org") if secret in found]


def test_the_hooks_of_a_removed_project_are_gone(cast):
    cast.master.post(f"/projects/{cast.private.id}/hooks", url=URL)
    assert cast.owner.delete(f"/projects/{cast.private.id}").status == 204
    assert cast.value("SELECT count(*) FROM hooks") == 0


SYSTEM_FIELDS = {
    "id", "url", "created_at", "push_events", "tag_push_events", "merge_requests_events", "repository_update_events",
    "enable_ssl_verification", "alert_status", "disabled_until",
}  # fmt: skip


@cases([
    *(Case(who, f"{verb} /hooks{rest}", status, ANYTHING, {"url": URL}, events=[])
      for who, status in (("anonymous", 401), ("owner", 403))
      for verb, rest in (("GET", ""), ("POST", ""), ("DELETE", "/1"))),
    Case("root", "DELETE /hooks/1", 404, {"message": "404 System hook Not Found"}),
    Case("root", "POST /hooks", 201, Has(push_events=False, repository_update_events=True), {"url": URL},
         events=["hook.created"]),
    Case("root", "POST /hooks", 400, {"message": {"token": ["is invalid"]}}, {"url": URL, "token": "a\nb"}),
    *(Case("root", "POST /hooks", 400, {"message": {"url": ["must be a valid URL"]}}, {"url": url}, events=[])
      for url in ("", None, "hello", "ftp://example.org/", "http://127.0.0.1/", "http://[::1]/")),
    Case("root", "POST /hooks", 400, Has(error="url is missing")),
])  # fmt: skip
def test_system_hooks_as_resources(case, cast):
    case.holds(cast)


def test_a_system_hook_is_listed_and_removed(cast):
    made = cast.root.post("/hooks", url=URL, push_events=True, token="a-token-of-a-hook").json
    assert set(made) == SYSTEM_FIELDS
    assert cast.root.get("/hooks").json == [made]
    assert cast.root.delete(f"/hooks/{made['id']}").status == 204
    assert cast.root.delete(f"/hooks/{made['id']}").status == 404
    assert cast.root.get("/hooks").json == []
