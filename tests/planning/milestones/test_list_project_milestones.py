"""GET /projects/:id/milestones."""

from tests.harness.cases import Case, cases


@cases([
    Case("anonymous", "GET /projects/{public.id}/milestones", 401),
    Case("stranger", "GET /projects/{private.id}/milestones", 404, {"message": "404 Project Not Found"}),
    Case("stranger", "GET /projects/{public.id}/milestones", 200, []),
    Case("guest", "GET /projects/{private.id}/milestones", 200, [], statements=4),
    Case("guest", "GET /projects/{private.id}/milestones?state=open", 400, {"error": "state does not have a valid value"}),
])  # fmt: skip
def test_readers_of_the_project_list_its_milestones(case, cast):
    case.holds(cast)


def test_the_filters_and_the_order(cast, milestone):
    first = milestone("First things")
    milestone("Second")
    milestone("Group's", of="team")
    cast.developer.put(f"/projects/{cast.private.id}/milestones/{first['id']}", state_event="close")

    def titles(**query):
        answer = cast.guest.get(f"/projects/{cast.private.id}/milestones", **query)
        assert int(answer.headers["X-Total"]) == len(answer.json)
        return [shown["title"] for shown in answer.json]

    assert titles() == titles(state="all") == ["Second", "First things"]
    assert titles(state="active") == ["Second"]
    assert titles(state="closed") == ["First things"]
    assert titles(iids=[1]) == ["First things"]
    assert titles(search="THINGS first") == ["First things"]
    assert titles(title="Second") == ["Second"]
