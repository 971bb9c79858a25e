"""What gives people something to do, and what gets it done."""

import pytest


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


def todos(person, state="pending"):
    return [(todo["action_name"], todo["author"]["username"]) for todo in person.get("/todos", state=state).json]


def test_assigning_gives_the_assignee_something_to_do(cast, issue):
    cast.reporter.put(issue, assignee_ids=[cast.guest.id, cast.developer.id])
    assert todos(cast.guest) == todos(cast.developer) == [("assigned", "reporter")]
    cast.reporter.put(issue, assignee_ids=[cast.guest.id, cast.developer.id, cast.master.id])
    assert todos(cast.guest) == [("assigned", "reporter")]
    cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", assignee_ids=[cast.reporter.id])
    assert todos(cast.reporter) == [("assigned", "reporter")]


def test_there_is_one_thing_to_do_for_each_issue(cast, issue):
    cast.reporter.put(issue, assignee_ids=[cast.guest.id])
    cast.reporter.post(f"{issue}/notes", body="@guest please")
    assert todos(cast.guest) == [("assigned", "reporter")]
    assert cast.guest.post(f"{issue}/todo").status == 304


def test_a_mention_gives_something_to_do(cast, issue):
    note = cast.reporter.post(f"{issue}/notes", body="maybe @guest knows").json
    (todo,) = cast.guest.get("/todos").json
    assert (todo["action_name"], todo["body"]) == ("mentioned", "maybe @guest knows")
    assert todo["target_url"] == f"{todo['target']['web_url']}#note_{note['id']}"


def test_a_direct_mention_has_its_own_action(cast, issue):
    cast.reporter.post(f"{issue}/notes", body="@guest and @developer: see what @master says")
    assert todos(cast.guest) == todos(cast.developer) == [("directly_addressed", "reporter")]
    assert todos(cast.master) == [("mentioned", "reporter")]


def test_a_description_that_begins_with_a_name_addresses_too(cast):
    texts = {"title": "ask @developer", "description": "@guest, what does @master say?"}
    cast.reporter.post(f"/projects/{cast.private.id}/issues", **texts)
    assert todos(cast.guest) == [("directly_addressed", "reporter")]
    assert todos(cast.developer) == todos(cast.master) == [("mentioned", "reporter")]


def test_a_description_mentions_too_and_only_whom_it_did_not_before(cast, issue):
    made = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", description="for @guest").json
    (todo,) = cast.guest.get("/todos").json
    assert (todo["action_name"], todo["body"], todo["target_url"]) == ("mentioned", "x", made["web_url"])
    cast.guest.post("/todos/mark_as_done")
    there = f"/projects/{cast.private.id}/issues/{made['iid']}"
    cast.reporter.put(there, description="for @guest and @developer")
    assert todos(cast.guest) == []
    assert todos(cast.developer) == [("mentioned", "reporter")]


def test_users_who_cannot_read_the_issue_get_no_todo(cast):
    confidential = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    cast.developer.post(f"{confidential}/notes", body="@guest @stranger @reporter")
    assert todos(cast.guest) == todos(cast.stranger) == []
    assert todos(cast.reporter) == [("directly_addressed", "developer")]
    cast.developer.put(confidential, confidential=False)
    assert todos(cast.guest) == []


@pytest.mark.parametrize(
    "act", ["title", "description", "labels", "milestone", "assignee", "close", "comment", "award", "award a note"]
)
def test_acting_gets_it_done(cast, issue, act):
    note = cast.reporter.post(f"{issue}/notes", body="@developer @guest").json
    match act:
        case "comment":
            cast.developer.post(f"{issue}/notes", body="done")
        case "award":
            cast.developer.post(f"{issue}/award_emoji", name="tada")
        case "award a note":
            cast.developer.post(f"{issue}/notes/{note['id']}/award_emoji", name="tada")
        case "close":
            cast.developer.put(issue, state_event="close")
        case "milestone":
            made = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json
            cast.developer.put(issue, milestone_id=made["id"])
        case "assignee":
            cast.developer.put(issue, assignee_ids=[cast.master.id])
        case field:
            cast.developer.put(issue, **{field: "new"})
    assert todos(cast.developer) == []
    assert todos(cast.developer, "done") == [("directly_addressed", "reporter")]
    assert todos(cast.guest) == [("directly_addressed", "reporter")]


def test_locking_or_dating_does_not(cast, issue):
    cast.reporter.post(f"{issue}/notes", body="@developer")
    cast.developer.put(issue, discussion_locked=True, due_date="2030-01-01")
    assert todos(cast.developer) == [("directly_addressed", "reporter")]


def test_a_deleted_note_leaves_the_title_of_the_issue(cast, issue):
    note = cast.reporter.post(f"{issue}/notes", body="@guest").json
    cast.reporter.delete(f"{issue}/notes/{note['id']}")
    (todo,) = cast.guest.get("/todos").json
    assert (todo["body"], todo["target_url"]) == ("Open", todo["target"]["web_url"])
