import re

import pytest


@pytest.fixture
def discussions(code):
    return f"{code.at}/commits/{code.first}/discussions"


@pytest.fixture
def changed(cast, code):
    """A commit that replaces the only line of README by two."""
    content = "hello\nworld\n"
    made = cast.owner.put(f"{code.at}/files/README", branch="master", commit_message="Change", content=content)
    assert made.status == 200
    return cast.owner.get(f"{code.at}/commits/master").json


def position(commit, **fields):
    ids = {"base_sha": commit["parent_ids"][0], "start_sha": commit["parent_ids"][0], "head_sha": commit["id"]}
    return {"position_type": "text", "old_path": "README", "new_path": "README", **ids, **fields}


def test_a_discussion_on_a_commit_takes_replies(cast, discussions):
    begun = cast.owner.post(discussions, body="Why?")
    assert begun.status == 201
    assert re.fullmatch(r"[0-9a-f]{40}", begun.json["id"])
    assert begun.json["individual_note"] is False
    (note,) = begun.json["notes"]
    assert (note["body"], note["type"], note["noteable_type"], note["noteable_id"], note["noteable_iid"]) == (
        "Why?", "DiscussionNote", "Commit", None, None,
    )  # fmt: skip
    assert (note["resolvable"], "position" in note, "resolved" in note) == (False, False, False)
    here = f"{discussions}/{begun.json['id']}"
    reply = cast.owner.post(f"{here}/notes", body="Because")
    assert (reply.status, reply.json["body"], reply.json["type"]) == (201, "Because", "DiscussionNote")
    assert cast.events()[-2:] == ["note.created", "note.created"]
    assert cast.owner.get(here).json == {**begun.json, "notes": [note, reply.json]}
    assert cast.owner.get(f"{here}/notes/{reply.json['id']}").json == reply.json


def test_the_comments_of_a_commit_are_its_discussions(cast, code, discussions):
    comments = f"{code.at}/commits/{code.first}/comments"
    cast.owner.post(comments, note="Nice")
    cast.owner.post(discussions, body="Why?")
    plain, thread = cast.owner.get(discussions).json
    assert (plain["individual_note"], plain["notes"][0]["body"], plain["notes"][0]["type"]) == (True, "Nice", None)
    cast.owner.post(f"{discussions}/{plain['id']}/notes", body="Indeed")
    assert [each["note"] for each in cast.owner.get(comments).json] == ["Nice", "Why?", "Indeed"]
    listed = cast.owner.get(f"{code.at}/commits/master/discussions")
    assert [[note["body"] for note in each["notes"]] for each in listed.json] == [["Nice", "Indeed"], ["Why?"]]
    assert (listed.headers["X-Total"], listed.json[0]["individual_note"]) == ("2", False)
    assert cast.owner.get(discussions, per_page=1, page=2).json == [thread]
    assert cast.owner.get(discussions, per_page=1, page=3).json == []


def test_a_discussion_is_about_a_line_that_the_commit_changed(cast, code, changed):
    discussions = f"{code.at}/commits/{changed['id']}/discussions"
    at = position(changed, new_line=2)
    begun = cast.owner.post(discussions, body="This?", position=at)
    assert begun.status == 201, begun
    (note,) = begun.json["notes"]
    assert (note["type"], note["position"]) == ("DiffNote", {**at, "old_line": None})
    reply = cast.owner.post(f"{discussions}/{begun.json['id']}/notes", body="That.").json
    assert (reply["type"], reply["position"]) == ("DiffNote", note["position"])
    comments = cast.owner.get(f"{code.at}/commits/{changed['id']}/comments").json
    assert [(each["path"], each["line"], each["line_type"]) for each in comments] == [("README", 2, "new")] * 2


def test_a_position_outside_the_changes_is_refused(cast, code, changed):
    discussions = f"{code.at}/commits/{changed['id']}/discussions"
    no_line = {"line_code": ["can't be blank", "must be a valid line code"]}
    invalid = {"position": ["is invalid"]}
    for fields, message in [
        ({"new_line": 1}, no_line),
        ({"old_line": 7}, no_line),
        ({"new_line": 2, "new_path": "none"}, no_line),
        ({}, invalid),
        ({"new_line": 2, "head_sha": code.first}, invalid),
        ({"position_type": "image", "width": 1, "height": 1, "x": 0, "y": 0}, invalid),
    ]:
        answer = cast.owner.post(discussions, body="This?", position=position(changed, **fields))
        assert (answer.status, answer.json) == (400, {"message": message}), fields
    assert cast.owner.get(discussions).json == []


def test_a_note_on_a_commit_is_edited_and_deleted(cast, code, discussions):
    cast.owner.post(f"{code.path}/members", user_id=cast.reporter.id, access_level=20)
    begun = cast.reporter.post(discussions, body="Wy?").json
    note = f"{discussions}/{begun['id']}/notes/{begun['notes'][0]['id']}"
    edited = cast.reporter.put(note, body="Why?")
    assert (edited.status, edited.json["body"], edited.json["type"]) == (200, "Why?", "DiscussionNote")
    by_owner = cast.owner.post(discussions, body="Mine").json
    others = f"{discussions}/{by_owner['id']}/notes/{by_owner['notes'][0]['id']}"
    assert [cast.reporter.put(others, body="x").status, cast.reporter.delete(others).status] == [403, 403]
    assert cast.owner.delete(note).status == 204
    assert cast.events()[-1] == "note.deleted"
    assert [each["id"] for each in cast.owner.get(discussions).json] == [by_owner["id"]]
    for answer in (cast.owner.get(note), cast.owner.get(f"{discussions}/{begun['id']}")):
        assert (answer.status, answer.json) == (404, {"message": "404 Discussion Not Found"})
    for answer in (cast.owner.put(note, body="x"), cast.owner.delete(note)):
        assert (answer.status, answer.json) == (404, {"message": "404 Note Not Found"})


def test_a_discussion_is_found_below_its_own_commit_only(cast, code, changed, discussions):
    begun = cast.owner.post(discussions, body="Why?").json
    elsewhere = f"{code.at}/commits/{changed['id']}/discussions/{begun['id']}"
    missing = {"message": "404 Discussion Not Found"}
    assert cast.owner.get(elsewhere).json == missing
    assert cast.owner.post(f"{elsewhere}/notes", body="x").json == missing
    assert cast.owner.put(f"{elsewhere}/notes/{begun['notes'][0]['id']}", body="x").status == 404
    assert cast.owner.get(f"{code.at}/commits/none/discussions").json == {"message": "404 Commit Not Found"}
    assert cast.owner.post(f"{code.at}/commits/none/discussions", body="x").json == {"message": "404 Commit Not Found"}


def test_discussions_are_for_those_who_may_read_the_code(cast, code, discussions):
    begun = cast.owner.post(discussions, body="Why?").json
    private = [cast.guest, cast.stranger, cast.anonymous]
    cast.owner.post(f"{code.path}/members", user_id=cast.guest.id, access_level=10)
    assert [person.get(discussions).status for person in private] == [403, 404, 401]
    assert [person.post(discussions, body="x").status for person in private] == [403, 404, 401]
    cast.owner.put(code.path, visibility="public")
    assert [person.get(discussions).status for person in private] == [200, 200, 401]
    assert [person.post(f"{discussions}/{begun['id']}/notes", body="x").status for person in private] == [201, 201, 401]
    for body, error in (({}, "body is missing"), ({"body": " "}, None)):
        answer = cast.owner.post(discussions, **body)
        assert (answer.status, answer.json.get("error")) == (400, error)
