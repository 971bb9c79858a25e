from tests.harness.cases import Case, cases
from tests.harness.client import Raw


def test_an_administrator_sees_from_where_an_issue_was_created(cast):
    issues = f"/projects/{cast.private.id}/issues"
    body = Raw(headers={"User-Agent": "curl/7.58"}, body=b'{"title":"x"}', type="application/json")
    made = cast.guest.post(issues, body).json
    answer = cast.root.get(f"{issues}/{made['iid']}/user_agent_detail")
    assert answer.json == {"user_agent": "curl/7.58", "ip_address": "127.0.0.1", "akismet_submitted": False}


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/user_agent_detail", 401),
        Case("owner", "GET /projects/{private.id}/issues/{open}/user_agent_detail", 403),
        Case("root", "GET /projects/{private.id}/issues/99/user_agent_detail", 404, {"message": "404 Issue Not Found"}),
    ]
)
def test_only_administrators_see_the_user_agent(case, cast):
    case.holds(cast)


def test_an_issue_created_without_a_user_agent_has_no_detail(cast):
    issues = f"/projects/{cast.private.id}/issues"
    body = Raw(headers={"User-Agent": ""}, body=b'{"title":"x"}', type="application/json")
    made = cast.guest.post(issues, body).json
    answer = cast.root.get(f"{issues}/{made['iid']}/user_agent_detail")
    assert (answer.status, answer.json) == (404, {"message": "404 UserAgentDetail Not Found"})
