"""DELETE /projects/:id/issues/:issue_iid: soft, and only by owners and administrators."""

import pytest

from tests.harness.cases import Case, cases
from tests.harness.client import Raw

HERE = "DELETE /projects/{private.id}/issues/{open}"


@cases([
    Case("anonymous", HERE, 401),
    Case("stranger", HERE, 404, {"message": "404 Project Not Found"}),
    Case("guest", "DELETE /projects/{private.id}/issues/{confidential}", 404, {"message": "404 Issue Not Found"}),
    Case("guest", HERE, 403),
    Case("reporter", HERE, 403, {"message": "403 Forbidden"}, events=[]),
    Case("developer", HERE, 403),
    Case("master", HERE, 403),
    Case("owner", HERE, 204, events=["issue.deleted"]),
    Case("root", HERE, 204),
])  # fmt: skip
def test_only_owners_delete_issues(case, cast):
    case.holds(cast)


def test_the_author_is_not_enough(cast):
    issues = f"/projects/{cast.private.id}/issues"
    made = cast.guest.post(issues, title="mine").json
    assert cast.guest.delete(f"{issues}/{made['iid']}").status == 403


def test_a_deleted_issue_is_gone_everywhere(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.put(issue, labels="bug")
    assert cast.owner.delete(issue).status == 204
    again = cast.owner.delete(issue)
    assert (again.status, again.json) == (404, {"message": "404 Issue Not Found"})
    assert cast.root.get(issue).status == 404
    assert cast.root.put(issue, title="x").status == 404
    for path in (f"/projects/{cast.private.id}/issues", "/issues", f"/groups/{cast.team.id}/issues"):
        answer = cast.root.get(path, scope="all", search="open")
        found = [(each["project_id"], each["iid"]) for each in answer.json]
        assert (cast.private.id, cast.open) not in found
        assert int(answer.headers["X-Total"]) == len(found)
    assert cast.root.get(f"/projects/{cast.private.id}/issues").headers["X-Total"] == "2"
    assert cast.root.get(f"/projects/{cast.private.id}/labels").json[0]["open_issues_count"] == 0
    assert cast.guest.get(f"/projects/{cast.private.id}").json["open_issues_count"] == 0


OLD = ["Tue, 01 Jan 2013 00:00:00 GMT", "Tuesday, 01-Jan-13 00:00:00 GMT", "2013-01-01T00:00:00.000Z", "2013-01-01"]
LATE_OR_NONSENSE = [
    "Tue, 01 Jan 2999 00:00:00 GMT", "2999-01-01T05:30:00+05:30", "Fri, 31 Dec 9999 23:59:59 -2300", "yesterday", "0",
]  # fmt: skip


@pytest.mark.parametrize("since", OLD)
def test_an_issue_changed_since_the_given_time_is_kept(cast, since):
    raw = Raw(headers={"If-Unmodified-Since": since})
    assert cast.owner.delete(f"/projects/{cast.private.id}/issues/{cast.open}", raw=raw).status == 412


@pytest.mark.parametrize("since", LATE_OR_NONSENSE)
def test_an_issue_unchanged_since_the_given_time_is_deleted(cast, since):
    raw = Raw(headers={"If-Unmodified-Since": since})
    assert cast.owner.delete(f"/projects/{cast.private.id}/issues/{cast.open}", raw=raw).status == 204
