"""GET /search, /groups/:id/search and /projects/:id/search: by the rules of the lists."""

import pytest

from mujina.activity.search import filters
from mujina.planning.work_items.lists import plans
from tests.harness.cases import Case, cases
from tests.harness.creation import make_project

MISSING = {"message": '400 (Bad request) "search" not given', "error": "search is missing"}
NO_CODE = {"message": {"error": "Scope not supported without Elasticsearch!"}}


@cases([
    Case("anonymous", "GET /search?scope=issues&search=open", 401),
    Case("anonymous", "GET /projects/{public.id}/search?scope=issues&search=open", 401),
    Case("reporter", "GET /search?scope=issues", 400, MISSING),
    Case("reporter", "GET /search?search=open", 400,
         {"message": '400 (Bad request) "scope" not given', "error": "scope is missing"}),
    Case("reporter", "GET /search?scope=people&search=x", 400, {"error": "scope does not have a valid value"}),
    Case("reporter", "GET /projects/{private.id}/search?scope=snippet_titles&search=x", 400,
         {"error": "scope does not have a valid value"}),
    Case("reporter", "GET /search?scope=blobs&search=x", 400, NO_CODE),
    Case("reporter", "GET /groups/{team.id}/-/search?scope=commits&search=x", 400, NO_CODE),
    Case("guest", "GET /projects/{private.id}/search?scope=blobs&search=x", 403),
    Case("guest", "GET /projects/{private.id}/search?scope=commits&search=x", 403),
    Case("stranger", "GET /projects/{private.id}/search?scope=wiki_blobs&search=x", 404),
    Case("reporter", "GET /projects/{private.id}/-/search?scope=wiki_blobs&search=x", 200, []),
    Case("reporter", "GET /projects/{private.id}/-/search?scope=blobs&search=x", 200, []),
    Case("reporter", "GET /projects/{private.id}/-/search?scope=commits&search=x", 200, []),
    Case("reporter", "GET /groups/nowhere/search?scope=issues&search=x", 404, {"message": "404 Group Not Found"}),
    Case("stranger", "GET /projects/{private.id}/search?scope=issues&search=x", 404, {"message": "404 Project Not Found"}),
    Case("reporter", "GET /search?scope=issues&search=farewell", 200, statements=6),
])  # fmt: skip
def test_each_scope_requires_its_permission_and_parameters(case, cast):
    case.holds(cast)


@pytest.fixture
def found(cast):
    """What one of the cast finds, by one field; the total says the same."""

    def search(who, path, scope, search, field="title"):
        answer = getattr(cast, who).get(path, scope=scope, search=search, per_page=100)
        assert answer.status == 200, answer
        assert int(answer.headers["X-Total"]) == len(answer.json)
        return [each[field] for each in answer.json]

    return search


def test_issues_are_found_by_state_and_confidentiality_in_either_order(cast):
    path = f"/projects/{cast.private.id}"
    first, second = (
        cast.owner.post(f"{path}/issues", title=f"Wanted {n}", confidential=n == 1).json["iid"] for n in (1, 2)
    )
    cast.owner.put(f"{path}/issues/{second}", state_event="close")
    for place in ("/search", f"/groups/{cast.team.id}/search", f"{path}/search"):
        for query, wanted in {
            "search=wanted": [second, first], "search=wanted&sort=asc&order_by=created_at": [first, second],
            "search=wanted&state=opened": [first], "search=wanted&state=closed": [second],
            "search=wanted&state=merged": [], "search=wanted&confidential=true": [first],
            f"search=%23{second}&state=closed": [second], f"search=%23{second}&state=opened": [],
        }.items():  # fmt: skip
            found = cast.owner.get(f"{place}?scope=issues&{query}")
            assert [each["iid"] for each in found.json] == wanted, (place, query)
            assert found.headers["X-Total"] == str(len(wanted))
    assert cast.owner.get(f"{path}/search?scope=issues&search=wanted&state=open").status == 400
    assert cast.owner.get(f"{path}/search?scope=issues&search=wanted&order_by=title").status == 400


def test_issues_everywhere_in_a_group_and_in_a_project(cast, found):
    places = ["/search", f"/groups/{cast.team.id}/search", f"/groups/{cast.company.id}/-/search"]
    for path in places:
        assert found("reporter", path, "issues", "FARE") == ["Farewell"] * 3
        assert found("guest", path, "issues", "farewell") == []
        assert found("left", path, "issues", "farewell", "project_id") == [cast.public.id, cast.internal.id]
        assert found("stranger", path, "issues", "open", "project_id") == [cast.public.id, cast.internal.id]
    assert found("reporter", f"/groups/{cast.guild.id}/search", "issues", "open") == []
    for path in (f"/projects/{cast.private.id}/search", f"/projects/{cast.private.encoded}/-/search"):
        assert found("reporter", path, "issues", "fare") == ["Farewell"]
        assert found("guest", path, "issues", "fare") == []


@pytest.mark.parametrize("few", [-1, 10**9], ids=["through the index", "one by one"])
def test_a_search_covers_projects_that_are_visible_in_whole_or_in_part(cast, found, monkeypatch, few):
    for module in (plans, filters):
        monkeypatch.setattr(module, "FEW_TO_SEARCH", few)
    own = make_project(cast.stranger, "own")["id"]
    iid = cast.stranger.post(f"/projects/{own}/issues", title="Open secret", confidential=True).json["iid"]
    cast.stranger.post(f"/projects/{own}/issues/{iid}/notes", body="openly said")
    projects = [own, cast.public.id, cast.internal.id]
    assert found("stranger", "/search", "issues", "open", "project_id") == projects
    assert found("stranger", "/search", "issues", "farewell") == found("stranger", "/search", "issues", "op") == []
    assert found("stranger", "/search", "notes", "openly", "noteable_iid") == [iid]
    answer = cast.stranger.get("/issues", scope="all", search="open", created_after="2000-01-01T00:00:00Z")
    assert [issue["project_id"] for issue in answer.json] == projects


@pytest.mark.parametrize("scope", ["issues", "notes", "projects", "milestones"])
def test_blanks_are_found_nowhere(found, scope):
    assert found("root", "/search", scope, "") == found("root", "/search", scope, " ") == []


def test_an_issue_by_its_number(cast, found):
    assert found("reporter", f"/projects/{cast.private.id}/search", "issues", f"#{cast.open}") == ["Open"]
    assert found("guest", f"/projects/{cast.private.id}/search", "issues", f"#{cast.confidential}") == []


def test_a_search_finds_projects_that_the_caller_may_read(cast, found):
    assert found("guest", "/search", "projects", "Priv", "name") == ["private"]
    assert found("stranger", "/search", "projects", "priv", "name") == []
    assert found("stranger", "/search", "projects", "internal", "name") == ["internal"]
    assert found("external", "/search", "projects", "internal", "name") == []
    assert found("guest", f"/groups/{cast.company.id}/search", "projects", "publ", "name") == ["public"]
    assert found("guest", f"/groups/{cast.guild.id}/search", "projects", "publ", "name") == []


def test_a_search_finds_milestones_that_the_caller_may_read(cast, found):
    cast.developer.post(f"/projects/{cast.private.id}/milestones", title="Release one")
    cast.owner.post(f"/groups/{cast.team.id}/milestones", title="Release all")
    assert found("guest", "/search", "milestones", "release") == ["Release all", "Release one"]
    assert found("stranger", "/search", "milestones", "release") == ["Release all"]
    assert found("guest", f"/groups/{cast.company.id}/search", "milestones", "release") == [
        "Release all",
        "Release one",
    ]
    assert found("guest", f"/groups/{cast.guild.id}/search", "milestones", "release") == []
    assert found("guest", f"/projects/{cast.private.id}/search", "milestones", "release") == ["Release one"]


def test_milestones_by_what_they_are_about(cast, found):
    path = f"/projects/{cast.private.id}/milestones"
    made = cast.developer.post(path, title="Spring", description="All the Migratory birds")
    assert found("guest", "/search", "milestones", "migratory") == ["Spring"]
    assert [each["title"] for each in cast.guest.get(path, search="bird").json] == ["Spring"]
    cast.developer.put(f"{path}/{made.json['id']}", description="fishes")
    assert found("guest", "/search", "milestones", "migratory") == []
    assert found("guest", "/search", "milestones", "FISH") == ["Spring"]


def test_snippets_by_title_file_name_and_text(cast, found):
    for visibility in ("private", "internal", "public"):
        cast.developer.post(
            "/snippets", title=f"Parrot {visibility}", file_name="cage.py", content="squawk()", visibility=visibility
        )
    cast.reporter.post(
        f"/projects/{cast.private.id}/snippets",
        title="Parrot of ours",
        file_name="a.rb",
        code="Squawk",
        visibility="private",
    )
    everything = ["Parrot of ours", "Parrot public", "Parrot internal", "Parrot private"]
    for scope, words in (("snippet_titles", "PARROT"), ("snippet_blobs", "squawk")):
        assert found("developer", "/search", scope, words) == everything
        assert found("root", "/search", scope, words) == everything
        assert found("guest", "/search", scope, words) == everything[:3]
        assert found("stranger", "/search", scope, words) == ["Parrot public", "Parrot internal"]
        assert found("external", "/search", scope, words) == ["Parrot public"]
    assert found("guest", "/search", "snippet_titles", "cage") == ["Parrot public", "Parrot internal"]
    assert (
        found("guest", "/search", "snippet_titles", "squawk")
        == found("guest", "/search", "snippet_blobs", "parrot")
        == []
    )


def test_a_snippet_is_found_by_what_it_says_now(cast, found):
    made = cast.guest.post("/snippets", title="Old", file_name="x", content="old words", visibility="private").json
    cast.guest.put(f"/snippets/{made['id']}", title="New", content="new words")
    assert found("guest", "/search", "snippet_titles", "old") == found("guest", "/search", "snippet_blobs", "old") == []
    assert (
        found("guest", "/search", "snippet_titles", "new")
        == found("guest", "/search", "snippet_blobs", "new")
        == ["New"]
    )


@pytest.mark.parametrize("few", [-1, 10**9], ids=["through the index", "one by one"])
def test_notes_are_found_wherever_the_issues_they_are_on_are(cast, found, monkeypatch, few):
    monkeypatch.setattr(filters, "FEW_TO_SEARCH", few)
    note = {}
    for project, iid in (("private", cast.open), ("private", cast.confidential), ("public", cast.open)):
        path = f"/projects/{getattr(cast, project).id}/issues/{iid}/notes"
        note[project, iid] = f"{path}/{cast.reporter.post(path, body='The Parrot is dead').json['id']}"
    for path in ("/search", f"/groups/{cast.company.id}/search"):
        assert len(found("reporter", path, "notes", "parrot", "id")) == 3
        assert found("guest", path, "notes", "parrot", "noteable_iid") == [cast.open, cast.open]
        assert found("stranger", path, "notes", "parrot", "noteable_iid") == [cast.open]
    assert found("reporter", f"/groups/{cast.guild.id}/search", "notes", "parrot") == []
    cast.reporter.put(note["private", cast.open], body="It is resting")
    assert found("guest", "/search", "notes", "resting", "noteable_iid") == [cast.open]
    cast.reporter.delete(note["private", cast.open])
    cast.owner.delete(f"/projects/{cast.public.id}/issues/{cast.open}")
    assert found("guest", "/search", "notes", "resting") == found("guest", "/search", "notes", "parrot") == []


def test_a_search_finds_notes_on_readable_issues(cast, found):
    for iid in (cast.open, cast.confidential):
        cast.reporter.post(f"/projects/{cast.private.id}/issues/{iid}/notes", body="The Parrot is dead")
    path = f"/projects/{cast.private.id}/search"
    assert found("reporter", path, "notes", "parrot", "noteable_iid") == [cast.confidential, cast.open]
    assert found("guest", path, "notes", "parrot", "noteable_iid") == [cast.open]
    assert found("guest", path, "notes", "closed", "body") == []


def test_results_of_a_search_are_paged(cast):
    first = cast.reporter.get("/search", scope="issues", search="open", per_page=2)
    assert (len(first.json), first.headers["X-Total"], first.headers["X-Next-Page"]) == (2, "3", "2")


def test_users_are_found_everywhere_and_among_the_members_of_a_place(cast, found):
    def usernames(who, path, words="e"):
        return set(found(who, path, "users", words, field="username"))

    assert usernames("stranger", "/search", "STRANG") == {"stranger"}
    assert "external" not in usernames("stranger", "/search", "external")
    assert usernames("root", "/search", "external") == {"external"}
    inside = f"/projects/{cast.private.id}/search"
    assert usernames("guest", inside, "develop") == {"developer"}
    # One who is no member is not found in the project, and what the caller may not read has no members for them.
    assert usernames("guest", inside, "stranger") == set()
    assert cast.stranger.get(inside, scope="users", search="develop").status == 404
    assert usernames("owner", f"/groups/{cast.team.id}/search", "owner") == {"owner"}
    assert usernames("guest", f"/groups/{cast.team.id}/search", "develop") == set()
    assert cast.anonymous.get("/search", scope="users", search="owner").status == 401
    first = cast.root.get("/search", scope="users", search="ter", per_page=1)
    second = cast.root.get("/search", scope="users", search="ter", per_page=1, page=2)
    assert first.json[0]["id"] != second.json[0]["id"]
