from tests.harness.cases import Case, cases
from tests.harness.statements import statements


def test_a_project_tells_what_was_contributed_to_it(cast):
    issues = f"/projects/{cast.private.id}/issues"
    cast.guest.post(issues, title="x")
    answer = cast.guest.get(f"/projects/{cast.private.id}/events", target_type="issue")
    assert [event["target_title"] for event in answer.json] == ["x", "Open"]
    assert {event["project_id"] for event in answer.json} == {cast.private.id}


def test_events_of_confidential_issues_are_neither_listed_nor_counted(cast):
    events = f"/projects/{cast.private.id}/events"
    assert cast.guest.get(events, target_type="issue").headers["X-Total"] == "1"
    assert cast.reporter.get(events, target_type="issue").headers["X-Total"] == "3"


def test_a_deleted_comment_is_told_no_more(cast):
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    note = cast.guest.post(notes, body="hello").json

    def told():
        events = cast.guest.get(f"/projects/{cast.private.id}/events", target_type="note").json
        return note["id"] in [event["target_id"] for event in events]

    assert told()
    cast.guest.delete(f"{notes}/{note['id']}")
    assert not told()


def test_events_of_a_deleted_milestone_are_kept(cast):
    here = f"/projects/{cast.private.id}"
    milestone = cast.developer.post(f"{here}/milestones", title="v1").json

    def told(**query):
        events = cast.guest.get(f"{here}/events", **query).json
        return [(event["action_name"], event["target_id"], event["target_title"]) for event in events]

    assert told(target_type="milestone") == [("opened", milestone["id"], "v1")]
    cast.developer.delete(f"{here}/milestones/{milestone['id']}")
    assert told(target_type="milestone") == [("destroyed", None, None), ("opened", None, None)]
    assert told(action="destroyed") == [("destroyed", None, None)]


def test_a_long_feed_costs_as_much_as_a_short_one(cast, database):
    events = f"/projects/{cast.private.id}/events"
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    cast.guest.post(notes, body="x")
    with statements(database) as short:
        cast.guest.get(events)
    for person in (cast.guest, cast.developer, cast.master):
        person.post(notes, body="x")
    with statements(database) as long:
        cast.guest.get(events)
    assert short.count == long.count <= 6


@cases(
    [
        Case("anonymous", "GET /projects/{private.id}/events", 404),
        Case("stranger", "GET /projects/{private.id}/events", 404, {"message": "404 Project Not Found"}),
        Case("read_user", "GET /projects/{private.id}/events", 403),
    ]
)
def test_invalid_requests_for_the_events_of_a_project_are_refused(case, cast):
    case.holds(cast)


def test_anonymous_callers_read_the_feed_of_a_public_project(cast):
    cast.developer.post(f"/projects/{cast.public.id}/issues", title="Seen")
    cast.developer.post(f"/projects/{cast.public.id}/issues", title="Secret", confidential=True)
    cast.developer.post(f"/projects/{cast.private.id}/issues", title="Private")
    feed = cast.anonymous.get(f"/projects/{cast.public.id}/events")
    titles = {event["target_title"] for event in feed.json}
    assert feed.status == 200
    assert "Seen" in titles
    assert "Secret" not in titles
    assert int(feed.headers["X-Total"]) == len(feed.json)
    for project in (cast.private, cast.internal):
        assert cast.anonymous.get(f"/projects/{project.id}/events").status == 404
    theirs = cast.anonymous.get(f"/users/{cast.developer.id}/events", per_page=100)
    assert theirs.status == 200
    assert {event["project_id"] for event in theirs.json} == {cast.public.id}
    assert "Secret" not in theirs.text
    assert cast.anonymous.get("/events").status == 401
