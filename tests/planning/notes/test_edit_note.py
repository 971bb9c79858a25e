import pytest

from tests.harness.cases import Case, Has, cases


@pytest.mark.parametrize(
    ("who", "status"),
    [("guest", 200), ("master", 200), ("owner", 200), ("root", 200), ("developer", 403), ("reporter", 403),
     ("stranger", 404), ("anonymous", 401)],
)  # fmt: skip
def test_a_note_is_edited_by_its_author_and_by_masters(cast, note, who, status):
    answer = getattr(cast, who).put(note, body="better")
    assert answer.status == status
    assert cast.guest.get(note).json["body"] == ("better" if status == 200 else "hello")


def test_an_edit_shows_when_it_was_made_and_keeps_the_author(cast, note):
    before = cast.guest.get(note).json
    after = cast.master.put(note, body="better").json
    assert after["author"]["username"] == "guest"
    assert after["created_at"] == before["created_at"] < after["updated_at"]


def test_system_notes_cannot_be_edited(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.master.put(issue, state_event="close")
    (said,) = cast.master.get(f"{issue}/notes").json
    for person in (cast.master, cast.root):
        assert person.put(f"{issue}/notes/{said['id']}", body="never").status == 403
        assert person.delete(f"{issue}/notes/{said['id']}").status == 403


@cases(
    [
        Case("guest", "PUT /projects/{private.id}/issues/{open}/notes/1", 400, Has(error="body is missing")),
        Case("guest", "PUT /projects/{private.id}/issues/{open}/notes/99", 404, params={"body": "x"}),
    ]
)
def test_an_edit_needs_a_note_and_a_body(case, cast):
    case.holds(cast)


def test_a_note_cannot_become_blank(cast, note):
    answer = cast.guest.put(note, body="")
    assert (answer.status, answer.json) == (400, {"message": {"note": ["can't be blank"]}})
