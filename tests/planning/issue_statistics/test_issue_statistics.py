"""GET /issues_statistics, of all projects, of a group and of a project."""

from tests.harness.cases import Case, cases


def counts(who, place="", **query):
    answer = who.get(f"{place}/issues_statistics", **query)
    assert answer.status == 200, answer
    return answer.json["statistics"]["counts"]


@cases([
    Case("anonymous", "GET /issues_statistics", 401),
    Case("stranger", "GET /projects/{private.id}/issues_statistics", 404, {"message": "404 Project Not Found"}),
    Case("stranger", "GET /groups/999999/issues_statistics", 404, {"message": "404 Group Not Found"}),
])  # fmt: skip
def test_hidden_projects_and_groups_have_no_statistics(case, cast):
    case.holds(cast)


def test_issues_that_the_caller_may_read_are_counted_by_state(cast):
    here = f"/projects/{cast.private.id}"
    cast.developer.post(f"{here}/issues", title="Bug", labels="bug")
    cast.developer.put(f"{here}/issues/{cast.open}", state_event="close")
    assert counts(cast.developer, here) == {"all": 4, "closed": 1, "opened": 3}
    assert counts(cast.guest, here) == {"all": 2, "closed": 1, "opened": 1}
    assert counts(cast.guest, here, labels="bug", state="closed") == {"all": 1, "closed": 0, "opened": 1}
    assert counts(cast.developer, here, search="confidential", **{"in": "title"}) == {
        "all": 1,
        "closed": 0,
        "opened": 1,
    }
    assert counts(cast.developer, f"/groups/{cast.team.id}", labels="bug") == {"all": 1, "closed": 0, "opened": 1}
    assert counts(cast.developer, labels="bug") == {"all": 1, "closed": 0, "opened": 1}
    assert counts(cast.guest) == {"all": 0, "closed": 0, "opened": 0}
    assert counts(cast.developer, scope="all")["closed"] == 1
