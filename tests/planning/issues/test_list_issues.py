"""GET /issues: over all projects, what the caller wrote unless they ask for more."""

import pytest

from tests.harness.cases import Case, cases
from tests.harness.statements import statements


@pytest.fixture
def listed(cast):
    """(project, title) of what one of the cast sees; the total says the same."""

    def ask(who, **query):
        answer = getattr(cast, who).get("/issues", per_page=100, **query)
        assert answer.status == 200, answer
        assert int(answer.headers["X-Total"]) == len(answer.json)
        names = {getattr(cast, name).id: name for name in ("private", "internal", "public")}
        return [(names[issue["project_id"]], issue["title"]) for issue in answer.json]

    return ask


@cases([
    Case("anonymous", "GET /issues", 401, {"message": "401 Unauthorized"}),
    Case("read_user", "GET /issues", 403),
    Case("stranger", "GET /issues", 200, [], statements=6),
    Case("developer", "GET /issues?scope=all", 200, statements=6),
    Case("stranger", "GET /issues?scope=all", 200, statements=6),
    Case("developer", "GET /issues?scope=everything", 400, {"error": "scope does not have a valid value"}),
])  # fmt: skip
def test_scopes_require_a_caller_and_parameters_are_checked(case, cast):
    case.holds(cast)


def test_without_a_scope_it_is_what_the_caller_wrote(listed):
    assert listed("reporter") == [("public", "Open"), ("internal", "Open"), ("private", "Open")]
    assert listed("reporter", scope="created-by-me") == listed("reporter")
    assert listed("guest") == []


def test_everything_the_caller_may_see(listed):
    assert len(listed("root", scope="all")) == len(listed("reporter", scope="all")) == 9
    assert len(listed("inherited", scope="all")) == len(listed("shared", scope="all")) == 9
    assert listed("guest", scope="all") == [("public", "Open"), ("internal", "Open"), ("private", "Open")]
    assert listed("stranger", scope="all") == [("public", "Open"), ("internal", "Open")]
    assert listed("external", scope="all") == [("public", "Open")]
    assert listed("expired", scope="all") == [("public", "Open"), ("internal", "Open")]


def test_an_author_who_left_sees_their_confidential_issue_where_they_still_see_the_project(listed):
    assert listed("left", scope="all") == [
        ("public", "Farewell"), ("public", "Open"), ("internal", "Farewell"), ("internal", "Open"),
    ]  # fmt: skip
    assert listed("left") == [("public", "Farewell"), ("internal", "Farewell")]


def test_assigned_to_me(cast, listed):
    cast.master.put(f"/projects/{cast.internal.id}/issues/{cast.confidential}", assignee_ids=[cast.stranger.id])
    assert listed("stranger", scope="assigned-to-me") == [("internal", "Confidential")]
    assert listed("stranger", scope="all") == [("public", "Open"), ("internal", "Confidential"), ("internal", "Open")]
    assert listed("developer", scope="assigned_to_me") == []


def test_filters_hold_over_all_projects(cast, listed):
    cast.reporter.put(f"/projects/{cast.private.id}/issues/{cast.open}", labels="bug", state_event="close")
    cast.reporter.put(f"/projects/{cast.public.id}/issues/{cast.open}", labels="bug,ui")
    assert listed("reporter", labels="bug") == [("public", "Open"), ("private", "Open")]
    assert listed("stranger", scope="all", labels="bug") == [("public", "Open")]
    assert listed("reporter", state="closed") == [("private", "Open")]
    assert listed("reporter", scope="all", state="closed") == [("private", "Open")]
    assert listed("stranger", scope="all", state="closed") == []
    assert listed("root", scope="all", search="fare") == [
        ("public", "Farewell"), ("internal", "Farewell"), ("private", "Farewell"),
    ]  # fmt: skip
    assert listed("stranger", scope="all", search="fare") == []
    assert listed("stranger", scope="all", author_id=cast.left.id) == []


def test_a_project_without_issues_and_a_deleted_one_are_left_out(cast, listed):
    cast.owner.put(f"/projects/{cast.internal.id}", issues_enabled=False)
    assert cast.owner.delete(f"/projects/{cast.public.id}").status == 204
    assert {project for project, _ in listed("root", scope="all")} == {"private"}


def test_issues_of_an_archived_project_are_listed(cast, listed):
    cast.owner.post(f"/projects/{cast.private.id}/archive")
    assert ("private", "Open") in listed("reporter")


def test_the_cost_does_not_grow_with_the_page(cast, database):
    costs = []
    for size in (1, 100):
        with statements(database) as used:
            cast.developer.get("/issues", scope="all", per_page=size)
        costs.append(used.count)
    assert costs[0] == costs[1] <= 6


def test_many_issues_are_found_along_the_order_asked_for(cast, listed, monkeypatch):
    monkeypatch.setattr("mujina.workspaces.projects.rules.MAX_TO_SORT", 0)
    for who in ("root", "reporter", "guest", "stranger", "left"):
        answer = getattr(cast, who).get("/issues", scope="all", per_page=2, page=2)
        assert [(i["project_id"], i["iid"]) for i in answer.json] == [
            (i["project_id"], i["iid"]) for i in getattr(cast, who).get("/issues", scope="all").json[2:4]
        ]
    assert len(listed("root", scope="all")) == 9
