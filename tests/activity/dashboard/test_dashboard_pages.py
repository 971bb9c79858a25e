"""The start page, the pages of one's own work, explore and search: what they show, to whom, and at what cost."""

import re

import pytest

from tests.harness.creation import make_project

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
STATEMENTS = {
    "/": 12,
    "/dashboard": 12,
    "/dashboard/projects?search=private": 12,
    "/dashboard/projects/starred": 12,
    "/dashboard/todos": 9,
    "/dashboard/todos?state=done&type=Issue&action=marked&author_id=&project_id=1": 9,
    "/dashboard/groups?search=team": 8,
    "/dashboard/milestones?state=all": 8,
    "/dashboard/snippets": 8,
    "/explore": 8,
    "/explore/projects?search=public&order=name": 8,
    "/explore/projects/starred": 8,
    "/explore/groups": 8,
    "/explore/snippets": 8,
    "/projects/new": 8,
    "/groups/new": 8,
    "/search?search=issue&scope=issues": 9,
    "/search?search=issue&scope=merge_requests": 9,
    "/search?search=issue&scope=notes": 9,
    "/search?search=issue&scope=milestones": 9,
    "/search?search=issue&scope=epics": 9,
    "/search?search=issue&scope=snippet_titles": 9,
    "/search?search=public": 9,
    "/help": 8,
    "/help/api": 8,
}
"""Each page, and how many statements it may use."""


@pytest.fixture
def work(cast):
    """Something of everything for the developer."""
    here = f"/projects/{cast.private.id}"
    root, developer = cast.root, cast.developer
    issue = root.post(f"{here}/issues", title="Issue of the day", assignee_ids=[developer.id]).json["iid"]
    root.post(f"{here}/issues/{issue}/notes", body=f"An issue for @{developer.username}")
    developer.post(f"{here}/issues/{cast.open}/todo")
    sprint = root.post(f"{here}/milestones", title="Issue sprint", due_date="2018-02-28").json["id"]
    root.put(f"{here}/issues/{issue}", milestone_id=sprint)
    closed = root.post(f"{here}/issues", title="Done", milestone_id=sprint, confidential=True).json["iid"]
    root.put(f"{here}/issues/{closed}", state_event="close")
    root.post(f"/groups/{cast.team.id}/milestones", title="Group sprint")
    developer.post("/snippets", title="Issue script", file_name="a.sh", content="x", visibility="public")
    developer.post(f"/projects/{cast.public.id}/star")
    root.post(f"/groups/{cast.team.id}/-/epics", title="Issue epic")
    return issue


def test_pages_of_ones_own_work_open_within_their_statements(browse, cast, work):
    developer = browse("developer")
    for path, most in STATEMENTS.items():
        # The second visit: issues are stored as documents by the first.
        for _ in range(2):
            before = cast.database.statements
            page = developer.open(path)
            used = cast.database.statements - before
        assert page.status == 200, (path, page.status, page.text[:300])
        assert used <= most, (path, used)


@one_engine
def test_issues_of_a_project_that_is_called_issues_have_their_reference(browse, cast):
    here = make_project(cast.owner, "issues", namespace_id=cast.team.id)
    cast.owner.post(f"/projects/{here['id']}/issues", title="Namesake", assignee_ids=[cast.owner.id])
    reference, owner = f"{here['path_with_namespace']}#1", browse("owner")
    for page in ("/", "/dashboard/issues", "/search?search=namesake&scope=issues"):
        assert reference in owner.open(page).text, page


@one_engine
def test_the_dashboard_shows_what_waits_for_a_user(browse, cast, work):
    developer = browse("developer")
    page = developer.open("/")
    assert "Your projects" in page.text
    assert [f"/{place.path}" in page.text for place in (cast.private, cast.internal, cast.public)] == [True] * 3
    assert f'href="/{cast.private.path}/issues/{work}"' in page.text
    assert "assigned you to issue" in page.text
    assert f"/{cast.private.path}" not in developer.open("/dashboard/projects?search=public").text.split("<aside")[0]
    assert f"/{cast.public.path}" in developer.open("/dashboard/projects/starred").text
    page = developer.open("/dashboard/milestones").text
    assert [words in page for words in ("Group sprint", "1 of 2 issues closed", "No issues")] == [True] * 3
    assert "0 of 1 issue closed" in browse("guest").open("/dashboard/milestones").text
    assert "Issue script" in developer.open("/dashboard/snippets").text
    # A stranger starts with nothing, and reads nothing of the others' work.
    stranger = browse("stranger")
    start = stranger.open("/")
    assert "Create a project, create a group, or explore public projects." in start.text
    assert "You're all caught up." in start.text
    assert "sprint" not in stranger.open("/dashboard/milestones?state=all").text


@one_engine
def test_an_anonymous_visitor_starts_at_public_projects_or_the_sign_in_page(browse, cast):
    visitor = browse("anonymous")
    assert visitor.open("/").headers["Location"] == "/explore"
    page = visitor.open("/explore")
    assert cast.public.path in page.text
    assert cast.internal.path not in page.text
    assert cast.internal.path in browse("stranger").open("/explore").text
    assert cast.internal.path not in browse("external").open("/explore").text
    for place in (cast.public, cast.internal):
        cast.root.put(f"/projects/{place.id}", visibility="private")
    assert visitor.open("/").headers["Location"] == "/users/sign_in"
    assert visitor.open("/explore").status == 200
    assert visitor.open("/public").headers["Location"] == "/explore"


@one_engine
def test_todos_are_filtered_and_marked_as_done(browse, cast, work):
    developer = browse("developer")
    page = developer.open("/dashboard/todos")
    assert page.text.count('class="row"') == 2
    assert "You added a to-do for issue" in page.text
    only = developer.open("/dashboard/todos?action=assigned")
    assert only.text.count('class="row"') == 1
    assert "Nothing matches your filters." in developer.open("/dashboard/todos?type=Epic").text
    number = re.search(r"/dashboard/todos/(\d+)/done", only.text)[1]
    sent = developer.send(f"/dashboard/todos/{number}/done", target="/dashboard/todos?action=marked")
    assert (sent.status, sent.headers["Location"]) == (303, "/dashboard/todos?action=marked")
    assert developer.open("/dashboard/todos?state=done").text.count('class="row"') == 1
    # The to-dos of others are not there.
    guest = browse("guest")
    guest.open("/dashboard/todos")
    assert guest.send(f"/dashboard/todos/{number}/done").status == 404
    developer.open("/dashboard/todos")
    assert developer.send("/dashboard/todos/done").status == 303
    assert "You&#39;re all caught up." in developer.open("/dashboard/todos").text
    # What a user may no longer read leaves no trace.
    cast.root.delete(f"/projects/{cast.private.id}/members/{cast.developer.id}")
    assert "Issue of the day" not in developer.open("/dashboard/todos?state=done").text


@one_engine
def test_the_search_page_marks_the_words_that_it_found(browse, cast, work):
    reporter = browse("reporter")
    assert "Type at least 3 characters." in reporter.open("/search?search=is").text
    found = reporter.open("/search", search="day", scope="issues")
    assert "Issue of the <mark>day</mark>" in found.text
    assert f"{cast.private.path}#{work}" in found.text
    assert "An <mark>issue</mark> for" in reporter.open("/search?search=issue&scope=notes").text
    assert "<mark>Issue</mark> sprint" in reporter.open("/search?search=issue&scope=milestones").text
    assert "<mark>Issue</mark> epic" in reporter.open(f"/search?search=issue&scope=epics&group_id={cast.team.id}").text
    assert "Issue script" in reporter.open("/search?search=script&scope=snippet_titles").text
    here = f"/search?project_id={cast.private.id}"
    assert "Issue of the" in reporter.open(f"{here}&search=day&scope=issues").text
    assert "Nothing matches your search." in reporter.open(f"{here}&search=nothing&scope=notes").text
    for name in ("stranger", "anonymous"):
        visitor = browse(name)
        assert "Nothing matches your search." in visitor.open("/search?search=day&scope=issues").text
        assert visitor.open(here).status == 404
    # A guest of a private project is offered no code.
    assert "scope=blobs" not in browse("guest").open(here).text
    assert "&lt;script&gt;" in reporter.open("/search", search="<script>alert").text
