import pytest

from tests.harness.cases import Case, cases
from tests.harness.statements import statements


@pytest.fixture
def notes(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}/notes"


def bodies(answer):
    assert answer.status == 200, answer
    return [note["body"] for note in answer.json]


def test_the_newest_note_comes_first(cast, notes):
    for body in ("one", "two", "three"):
        cast.guest.post(notes, body=body)
    assert bodies(cast.guest.get(notes)) == ["three", "two", "one"]
    assert bodies(cast.guest.get(notes, sort="asc")) == ["one", "two", "three"]


def test_notes_are_sorted_by_when_they_were_changed_if_asked(cast, notes):
    first, *_ = [
        cast.owner.post(notes, body=body, created_at=f"2018-01-0{day}T00:00:00Z").json["id"]
        for day, body in enumerate(("one", "two", "three"), 1)
    ]
    cast.owner.put(f"{notes}/{first}", body="one again")
    assert bodies(cast.guest.get(notes, order_by="updated_at"))[0] == "one again"
    assert bodies(cast.guest.get(notes, order_by="created_at"))[0] == "three"
    assert bodies(cast.guest.get(notes, order_by="id", sort="asc"))[-1] == "three"


def test_notes_come_in_pages_with_their_total(cast, notes):
    for n in range(5):
        cast.guest.post(notes, body=str(n))
    answer = cast.guest.get(notes, per_page=2, page=2)
    assert bodies(answer) == ["2", "1"]
    assert (answer.headers["X-Total"], answer.headers["X-Total-Pages"]) == ("5", "3")


def test_system_notes_are_listed(cast, notes):
    cast.reporter.put(notes.removesuffix("/notes"), state_event="close")
    (note,) = cast.guest.get(notes).json
    assert (note["body"], note["system"], note["author"]["username"]) == ("closed", True, "reporter")


def test_a_note_tells_what_it_is_about(cast, notes):
    issue = cast.guest.get(notes.removesuffix("/notes")).json
    cast.guest.post(notes, body="hello")
    (note,) = cast.guest.get(notes).json
    assert note == {
        "id": note["id"], "body": "hello", "attachment": None, "author": note["author"],
        "created_at": note["created_at"], "updated_at": note["created_at"], "system": False,
        "noteable_id": issue["id"], "noteable_type": "Issue", "noteable_iid": issue["iid"],
    }  # fmt: skip
    assert set(note["author"]) == {"id", "username", "name", "state", "avatar_url", "web_url"}


def test_a_long_list_costs_as_much_as_a_short_one(cast, notes, database):
    cast.guest.post(notes, body="x")
    with statements(database) as short:
        cast.guest.get(notes)
    for _ in range(30):
        cast.guest.post(notes, body="x")
    with statements(database) as long:
        assert len(cast.guest.get(notes, per_page=100).json) == 31
    assert long.count == short.count <= 4


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/notes", 401),
        Case("stranger", "GET /projects/{public.id}/issues/{open}/notes", 200, []),
        Case("stranger", "GET /projects/{private.id}/issues/{open}/notes", 404, {"message": "404 Project Not Found"}),
        Case("guest", "GET /projects/{private.id}/issues/{confidential}/notes", 404, {"message": "404 Issue Not Found"}),
        Case("guest", "GET /projects/{private.id}/issues/99/notes", 404, {"message": "404 Issue Not Found"}),
        Case(
            "guest", "GET /projects/{private.id}/issues/{open}/notes", 400,
            {"error": "order_by does not have a valid value"}, {"order_by": "body"},
        ),
        Case(
            "guest", "GET /projects/{private.id}/issues/{open}/notes", 400,
            {"error": "sort does not have a valid value"}, {"sort": "up"},
        ),
    ]
)  # fmt: skip
def test_readers_of_an_issue_read_its_notes(case, cast):
    case.holds(cast)
