def test_a_note_is_shown_to_users_who_read_the_issue(cast):
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    made = cast.guest.post(notes, body="hello").json
    assert cast.reporter.get(f"{notes}/{made['id']}").json == made


def test_a_note_of_another_issue_is_as_missing_as_none(cast):
    issues = f"/projects/{cast.private.id}/issues"
    made = cast.reporter.post(f"{issues}/{cast.confidential}/notes", body="secret").json
    other = cast.guest.get(f"{issues}/{cast.open}/notes/{made['id']}")
    none = cast.guest.get(f"{issues}/{cast.open}/notes/999999")
    assert (other.status, other.json) == (none.status, none.json) == (404, {"message": "404 Note Not Found"})
    assert cast.guest.get(f"{issues}/{cast.confidential}/notes/{made['id']}").json == {"message": "404 Issue Not Found"}
