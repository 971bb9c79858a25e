"""GET /groups/:id/issues: the issues of the group's projects and of every group below."""

import pytest

from tests.harness.cases import Case, cases


@pytest.fixture
def listed(cast):
    """(project, title) of what one of the cast sees in a group; the total says the same."""

    def ask(who, group="team", **query):
        answer = getattr(cast, who).get(f"/groups/{getattr(cast, group).id}/issues", per_page=100, **query)
        assert answer.status == 200, answer
        assert int(answer.headers["X-Total"]) == len(answer.json)
        names = {getattr(cast, name).id: name for name in ("private", "internal", "public")}
        return [(names[issue["project_id"]], issue["title"]) for issue in answer.json]

    return ask


@cases([
    Case("anonymous", "GET /groups/{team.id}/issues", 401),
    Case("developer", "GET /groups/{team.encoded}/issues", 200, statements=6),
    Case("guest", "GET /groups/{company.id}/issues", 200, statements=6),
    Case("developer", "GET /groups/999999/issues", 404, {"message": "404 Group Not Found"}),
])  # fmt: skip
def test_only_readers_of_the_group_list_its_issues(case, cast):
    case.holds(cast)


def test_a_private_group_is_missing_for_those_outside(cast):
    cast.run("UPDATE groups SET visibility = 'private' WHERE id = :id", id=cast.team.id)
    assert cast.stranger.get(f"/groups/{cast.team.id}/issues").status == 404
    assert cast.owner.get(f"/groups/{cast.team.id}/issues").status == 200
    assert cast.developer.get(f"/groups/{cast.team.id}/issues").status == 200


def test_without_a_scope_everything_is_listed(listed):
    assert len(listed("developer")) == 9
    assert listed("stranger") == [("public", "Open"), ("internal", "Open")]
    assert listed("reporter", scope="created-by-me") == [("public", "Open"), ("internal", "Open"), ("private", "Open")]


@pytest.mark.parametrize("group", ["company", "department", "team"])
def test_the_groups_below_are_included(listed, group):
    assert len(listed("developer", group)) == 9


def test_other_groups_are_not(cast):
    assert cast.developer.get(f"/groups/{cast.guild.id}/issues").json == []
    assert cast.developer.get(f"/groups/{cast.guild.id}/issues").headers["X-Total"] == "0"


def test_each_filter_chooses_its_issues(cast, listed):
    cast.reporter.put(f"/projects/{cast.private.id}/issues/{cast.open}", labels="bug", state_event="close")
    assert listed("developer", labels="bug") == [("private", "Open")]
    assert listed("developer", state="closed") == [("private", "Open")]
    assert listed("developer", search="fare", author_id=cast.left.id, sort="asc")[0] == ("private", "Farewell")
