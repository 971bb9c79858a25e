import pytest

from tests.harness.cases import Case, cases
from tests.harness.statements import statements


@pytest.fixture
def issues(cast):
    return f"/projects/{cast.private.id}/issues"


def todos(person, **query):
    answer = person.get("/todos", **query)
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [(todo["action_name"], todo["target"]["iid"]) for todo in answer.json]


def test_the_newest_comes_first_and_only_what_is_to_do(cast, issues):
    cast.guest.post(f"{issues}/{cast.open}/todo")
    second = cast.guest.post(issues, title="second").json["iid"]
    cast.guest.post(f"{issues}/{second}/todo")
    assert todos(cast.guest) == [("marked", second), ("marked", cast.open)]
    cast.guest.post("/todos/mark_as_done")
    assert todos(cast.guest) == []
    assert todos(cast.guest, state="done") == [("marked", second), ("marked", cast.open)]
    assert todos(cast.developer) == []


def test_each_filter_chooses_its_todos(cast, issues):
    cast.guest.post(f"{issues}/{cast.open}/todo")
    made = cast.reporter.post(issues, title="x", assignee_ids=[cast.guest.id]).json
    marked, assigned = ("marked", cast.open), ("assigned", made["iid"])
    assert todos(cast.guest, action="assigned") == [assigned]
    assert todos(cast.guest, action="marked") == [marked]
    assert todos(cast.guest, author_id=cast.reporter.id) == [assigned]
    assert todos(cast.guest, author_id=999) == []
    assert todos(cast.guest, project_id=cast.private.id) == [assigned, marked]
    assert todos(cast.guest, project_id=cast.public.id) == []
    assert todos(cast.guest, type="Issue") == [assigned, marked]
    assert todos(cast.guest, type="MergeRequest") == []


@cases(
    [
        Case("anonymous", "GET /todos", 401),
        Case("guest", "GET /todos", 400, {"error": "state does not have a valid value"}, {"state": "open"}),
        Case("guest", "GET /todos", 400, {"error": "action does not have a valid value"}, {"action": "x"}),
        Case("guest", "GET /todos", 400, {"error": "author_id is invalid"}, {"author_id": "x"}),
    ]
)
def test_invalid_requests_for_todos_are_refused(case, cast):
    case.holds(cast)


def test_a_todo_goes_out_of_sight_with_its_issue(cast, issues):
    cast.guest.post(f"{issues}/{cast.open}/todo")
    cast.reporter.put(f"{issues}/{cast.open}", confidential=True)
    assert todos(cast.guest) == []
    cast.reporter.put(f"{issues}/{cast.open}", confidential=False)
    assert todos(cast.guest) == [("marked", cast.open)]
    cast.owner.delete(f"{issues}/{cast.open}")
    assert todos(cast.guest) == []


def test_many_todos_cost_as_much_as_few(cast, issues, database):
    cast.guest.post(f"{issues}/{cast.open}/todo")
    with statements(database) as few:
        todos(cast.guest)
    for n in range(10):
        cast.reporter.post(issues, title=str(n), assignee_ids=[cast.guest.id], labels="a,b")
    with statements(database) as many:
        assert len(todos(cast.guest)) == 11
    assert few.count == many.count <= 6
