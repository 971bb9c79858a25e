from tests.harness.cases import Case, cases


def titles(person, whose, **query):
    answer = person.get(f"/users/{whose}/events", target_type="issue", action="created", **query)
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [(event["project_id"], event["target_title"]) for event in answer.json]


def test_a_person_is_named_by_id_or_username(cast):
    assert titles(cast.root, cast.reporter.id) == titles(cast.root, "reporter") != []


def test_readers_see_the_events_of_projects_they_may_read(cast):
    everywhere = [(place.id, "Open") for place in (cast.public, cast.internal, cast.private)]
    assert titles(cast.guest, "reporter") == everywhere
    assert titles(cast.stranger, "reporter") == everywhere[:2]
    assert titles(cast.external, "reporter") == everywhere[:1]


def test_confidential_events_are_listed_only_for_readers(cast):
    assert titles(cast.guest, "developer") == []
    assert titles(cast.stranger, "developer") == []
    assert [title for _, title in titles(cast.reporter, "developer")] == ["Confidential"] * 3
    issue = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    cast.developer.post(f"{issue}/notes", body="secret")
    assert cast.guest.get("/users/developer/events", target_type="note").json == []
    assert len(cast.reporter.get("/users/developer/events", target_type="note").json) == 1
    cast.owner.delete(issue)
    assert cast.reporter.get("/users/developer/events", target_type="note").json == []
    assert len(titles(cast.reporter, "developer")) == 2


def test_joining_is_told_of_who_joined(cast):
    (event, *_) = cast.root.get("/users/guest/events", action="joined").json
    assert (event["action_name"], event["author_username"], event["target_type"]) == ("joined", "guest", None)
    assert cast.root.get("/users/left/events", action="left").json[0]["action_name"] == "left"


@cases(
    [
        Case("guest", "GET /users/99999/events", 404, {"message": "404 User Not Found"}),
        Case("guest", "GET /users/nobody/events", 404, {"message": "404 User Not Found"}),
    ]
)
def test_invalid_requests_for_the_events_of_a_user_are_refused(case, cast):
    case.holds(cast)
