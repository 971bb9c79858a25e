import pytest

from tests.harness.cases import Case, cases


@pytest.fixture
def issues(cast):
    return f"/projects/{cast.private.id}/issues"


def feed(person, path="/events", **query):
    answer = person.get(path, **query)
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [(event["action_name"], event["target_type"]) for event in answer.json]


def test_the_feed_tells_what_the_caller_did_the_newest_first(cast, issues):
    made = cast.guest.post(issues, title="x").json
    cast.guest.put(f"{issues}/{made['iid']}", title="y")
    cast.guest.put(f"{issues}/{made['iid']}", state_event="close")
    cast.guest.put(f"{issues}/{made['iid']}", state_event="reopen")
    cast.guest.post(f"{issues}/{made['iid']}/notes", body="hello")
    done = [("opened", "Issue"), ("closed", "Issue"), ("opened", "Issue"), ("commented on", "Note")]
    mine = [line for line in reversed(feed(cast.guest)) if line[1]]
    assert mine == done
    assert [line for line in feed(cast.guest, sort="asc") if line[1]] == done
    assert done[0] not in feed(cast.developer, target_type="note")


def test_an_event_tells_who_did_what_to_what(cast, issues):
    made = cast.guest.post(issues, title="x").json
    event = cast.guest.get("/events").json[0]
    assert event == {
        "id": event["id"], "project_id": cast.private.id, "action_name": "opened", "target_id": made["id"],
        "target_iid": made["iid"],
        "target_type": "Issue", "author_id": cast.guest.id, "target_title": "x", "created_at": event["created_at"],
        "author": made["author"], "author_username": "guest",
    }  # fmt: skip
    cast.guest.post(issues, title="y")
    assert cast.guest.get("/events").json[0]["id"] > event["id"]


def test_a_comment_is_shown_whole(cast, issues):
    note = cast.guest.post(f"{issues}/{cast.open}/notes", body="hello").json
    event = cast.guest.get("/events").json[0]
    assert (event["note"], event["target_id"], event["target_title"]) == (note, note["id"], "Open")


def test_each_filter_chooses_its_events(cast, issues):
    made = cast.guest.post(issues, title="x").json
    cast.guest.put(f"{issues}/{made['iid']}", state_event="close")
    cast.guest.put(f"{issues}/{made['iid']}", state_event="reopen")
    cast.guest.post(f"{issues}/{made['iid']}/notes", body="hello")
    assert feed(cast.guest, action="created") == [("opened", "Issue")]
    assert feed(cast.guest, action="reopened") == [("opened", "Issue")]
    assert feed(cast.guest, action="closed") == [("closed", "Issue")]
    assert feed(cast.guest, action="commented") == feed(cast.guest, target_type="note") == [("commented on", "Note")]
    assert len(feed(cast.guest, target_type="issue")) == 3
    assert feed(cast.guest, target_type="merge_request") == []
    assert feed(cast.guest, action="merged") == []


def test_before_and_after_leave_the_day_itself_out(cast, issues):
    cast.guest.post(issues, title="x")
    today = cast.guest.get("/events").json[0]["created_at"][:10]
    assert feed(cast.guest, target_type="issue", before=today) == []
    assert feed(cast.guest, target_type="issue", after=today) == []
    assert len(feed(cast.guest, target_type="issue", before="2999-01-01", after="2000-01-01")) == 1


@cases(
    [
        Case("anonymous", "GET /events", 401),
        Case("read_user", "GET /events", 200),
        Case("guest", "GET /events", 400, {"error": "action does not have a valid value"}, {"action": "x"}),
        Case("guest", "GET /events", 400, {"error": "target_type does not have a valid value"}, {"target_type": "x"}),
        Case("guest", "GET /events", 400, {"error": "before is invalid"}, {"before": "soon"}),
    ]
)
def test_invalid_requests_for_ones_own_events_are_refused(case, cast):
    case.holds(cast)
