import re

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw
from tests.harness.statements import statements


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def discussion(cast, issue):
    """One that the guest began."""
    made = cast.guest.post(f"{issue}/discussions", body="what about this?")
    assert made.status == 201, made
    return made.json


def test_a_discussion_begins_with_a_note(cast, issue, discussion):
    assert re.fullmatch(r"[0-9a-f]{40}", discussion["id"])
    assert discussion["individual_note"] is False
    (note,) = discussion["notes"]
    assert (note["body"], note["author"]["username"], note["noteable_type"]) == ("what about this?", "guest", "Issue")
    assert cast.reporter.get(f"{issue}/discussions/{discussion['id']}").json == discussion
    assert cast.reporter.get(f"{issue}/notes/{note['id']}").json == note


def test_replies_join_it(cast, issue, discussion):
    answer = cast.developer.post(f"{issue}/discussions/{discussion['id']}/notes", body="fine")
    assert (answer.status, answer.json["body"]) == (201, "fine")
    there = cast.guest.get(f"{issue}/discussions/{discussion['id']}").json
    assert [note["body"] for note in there["notes"]] == ["what about this?", "fine"]
    assert cast.guest.get(issue).json["user_notes_count"] == 2


def test_a_plain_comment_and_what_the_instance_says_stand_alone(cast, issue):
    cast.guest.post(f"{issue}/notes", body="plain")
    cast.reporter.put(issue, state_event="close")
    plain, closed = cast.guest.get(f"{issue}/discussions").json
    assert plain["individual_note"]
    assert closed["individual_note"]
    assert closed["notes"][0]["system"] is True
    assert cast.guest.post(f"{issue}/discussions/{closed['id']}/notes", body="why?").status == 403


def test_a_comment_that_is_replied_to_becomes_a_discussion(cast, issue):
    cast.guest.post(f"{issue}/notes", body="plain")
    (plain,) = cast.guest.get(f"{issue}/discussions").json
    assert cast.reporter.post(f"{issue}/discussions/{plain['id']}/notes", body="yes").status == 201
    there = cast.guest.get(f"{issue}/discussions/{plain['id']}").json
    assert (there["individual_note"], len(there["notes"])) == (False, 2)


def test_discussions_come_in_pages_the_oldest_first_each_whole(cast, issue, database):
    for n in range(3):
        made = cast.guest.post(f"{issue}/discussions", body=str(n)).json
        cast.guest.post(f"{issue}/discussions/{made['id']}/notes", body="reply")
    with statements(database) as used:
        answer = cast.guest.get(f"{issue}/discussions", per_page=2)
    assert [one["notes"][0]["body"] for one in answer.json] == ["0", "1"]
    assert [len(one["notes"]) for one in answer.json] == [2, 2]
    assert answer.headers["X-Total"] == "3"
    assert used.count <= 5


def test_a_hidden_cross_reference_is_no_discussion(cast):
    there = f"/projects/{cast.public.id}/issues/{cast.open}"
    private = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.post(f"{private}/notes", body=f"see {cast.public.path}#{cast.open}")
    (hidden,) = cast.reporter.get(f"{there}/discussions").json
    answer = cast.stranger.get(f"{there}/discussions")
    assert (answer.json, answer.headers["X-Total"]) == ([], "0")
    assert cast.stranger.get(f"{there}/discussions/{hidden['id']}").json == {"message": "404 Discussion Not Found"}


def test_a_note_is_edited_and_deleted_where_it_was_said(cast, issue, discussion):
    note = f"{issue}/discussions/{discussion['id']}/notes/{discussion['notes'][0]['id']}"
    assert cast.developer.put(note, body="x").status == 403
    assert cast.guest.put(note, body="better").json["body"] == "better"
    elsewhere = note.replace(discussion["id"], "0" * 40)
    assert cast.guest.put(elsewhere, body="x").json == {"message": "404 Note Not Found"}
    assert cast.guest.delete(elsewhere).status == 404
    assert cast.developer.delete(note).status == 403
    old = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2015 03:45:40 GMT"})
    assert cast.guest.delete(note, old).status == 412
    assert cast.guest.delete(note).status == 204
    assert cast.guest.get(f"{issue}/discussions/{discussion['id']}").status == 404


def test_a_locked_issue_is_discussed_by_members(cast):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    made = cast.stranger.post(f"{issue}/discussions", body="x").json
    cast.reporter.put(issue, discussion_locked=True)
    assert cast.stranger.post(f"{issue}/discussions", body="x").status == 403
    assert cast.stranger.post(f"{issue}/discussions/{made['id']}/notes", body="x").status == 403
    assert cast.guest.post(f"{issue}/discussions/{made['id']}/notes", body="x").status == 201


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/discussions", 401),
        Case("stranger", "GET /projects/{private.id}/issues/{open}/discussions", 404, {"message": "404 Project Not Found"}),
        Case("guest", "GET /projects/{private.id}/issues/{confidential}/discussions", 404, {"message": "404 Issue Not Found"}),
        Case("guest", "GET /projects/{private.id}/issues/{open}/discussions/nothing", 404, {"message": "404 Discussion Not Found"}),
        Case("guest", "POST /projects/{private.id}/issues/{open}/discussions", 400, Has(error="body is missing")),
        Case("guest", "POST /projects/{private.id}/issues/{open}/discussions", 400, {"message": {"note": ["can't be blank"]}}, {"body": ""}),
        Case("guest", "POST /projects/{private.id}/issues/{open}/discussions/nothing/notes", 404, params={"body": "x"}),
    ]
)  # fmt: skip
def test_refusals(case, cast):
    case.holds(cast)
