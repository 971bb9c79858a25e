"""GET /issues/:id."""

from tests.harness.cases import Case, cases


@cases([
    Case("anonymous", "GET /issues/1", 401),
    Case("owner", "GET /issues/1", 403),
    Case("root", "GET /issues/999999", 404, {"message": "404 Issue Not Found"}),
    Case("root", "GET /issues/first", 400, {"error": "id is invalid"}),
])  # fmt: skip
def test_only_administrators_find_an_issue_by_its_id(case, cast):
    case.holds(cast)


def test_it_is_the_issue_of_its_project(cast):
    here = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    issue = cast.root.get(here).json
    assert cast.root.get(f"/issues/{issue['id']}").json == issue
    cast.root.delete(here)
    assert cast.root.get(f"/issues/{issue['id']}").status == 404
