import pytest


@pytest.fixture
def comments(code):
    return f"{code.at}/commits/{code.first}/comments"


def test_a_commit_is_commented_on(cast, code, comments):
    made = cast.owner.post(comments, note="Nice")
    assert made.status == 201
    said = made.json
    assert (said["note"], said["path"], said["line"], said["line_type"]) == ("Nice", None, None, None)
    assert (said["author"]["username"], set(said)) == (
        "owner",
        {"note", "path", "line", "line_type", "author", "created_at"},
    )
    assert cast.events()[-1] == "note.created"
    cast.owner.post(f"{code.at}/commits/master/comments", note="By its branch")
    listed = cast.owner.get(comments)
    assert [each["note"] for each in listed.json] == ["Nice", "By its branch"]
    assert listed.headers["X-Total"] == "2"
    assert [each["note"] for each in cast.owner.get(comments, per_page=1, page=2).json] == ["By its branch"]


def test_a_comment_points_at_a_line_the_commit_changed(cast, code):
    changed = cast.owner.put(
        f"{code.at}/files/README", branch="master", commit_message="Change", content="hello\nworld\n"
    )
    assert changed.status == 200
    comments = f"{code.at}/commits/master/comments"
    said = cast.owner.post(comments, note="This?", path="README", line=2).json
    assert (said["path"], said["line"], said["line_type"]) == ("README", 2, "new")
    for missed in ({"line": 1}, {"line": 2, "line_type": "old"}, {"line": 3}, {"line": 2, "path": "src/main"}):
        said = cast.owner.post(comments, note="This?", **{"path": "README", **missed}).json
        assert (said["path"], said["line"], said["line_type"]) == (None, None, None)
    assert [each["line"] for each in cast.owner.get(comments).json] == [2, None, None, None, None]


def test_a_line_taken_away_is_counted_in_the_file_before(cast, code):
    cast.owner.put(f"{code.at}/files/README", branch="master", commit_message="Change", content="bye\n")
    comments = f"{code.at}/commits/master/comments"
    for side in ("old", "new"):
        said = cast.owner.post(comments, note="This?", path="README", line=1, line_type=side).json
        assert (said["path"], said["line"], said["line_type"]) == ("README", 1, side)


REFUSED = [
    ({}, {"message": '400 (Bad request) "note" not given', "error": "note is missing"}),
    ({"note": " "}, {"message": {"note": ["can't be blank"]}}),
    ({"note": "x", "path": "README"}, {"message": '400 (Bad request) "line" not given', "error": "line is missing"}),
    ({"note": "x", "line_type": "both"}, {"error": "line_type does not have a valid value"}),
]


def test_an_invalid_comment_is_refused(cast, comments):
    for said, body in REFUSED:
        answer = cast.owner.post(comments, **said)
        assert (answer.status, answer.json) == (400, body)
    assert cast.owner.get(comments).json == []


def test_comments_are_for_those_who_may_read_the_code(cast, code, comments):
    cast.owner.post(comments, note="Nice")
    private = [cast.guest, cast.stranger, cast.anonymous]
    cast.owner.post(f"{code.path}/members", user_id=cast.guest.id, access_level=10)
    assert [person.get(comments).status for person in private] == [403, 404, 404]
    assert [person.post(comments, note="x").status for person in private] == [403, 404, 401]
    cast.owner.put(code.path, visibility="public")
    assert [person.get(comments).status for person in private] == [200, 200, 200]
    assert [person.post(comments, note="x").status for person in private] == [201, 201, 401]
    assert cast.owner.get(f"{code.at}/commits/none/comments").json == {"message": "404 Commit Not Found"}
    assert cast.owner.post(f"{code.at}/commits/none/comments", note="x").json == {"message": "404 Commit Not Found"}


def test_an_archived_project_is_still_talked_about(cast, code, comments):
    cast.owner.post(f"{code.path}/archive")
    assert cast.owner.post(comments, note="Once it was good").status == 201


def test_a_comment_is_a_contribution_for_those_who_may_read_the_code(cast, code, comments):
    cast.owner.post(comments, note="Nice")
    cast.owner.post(f"{code.path}/members", user_id=cast.guest.id, access_level=10)
    (event,) = cast.owner.get(f"{code.path}/events", target_type="note").json
    assert (event["action_name"], event["target_type"], event["target_title"]) == ("commented on", "Note", "First")
    assert (event["note"]["body"], event["note"]["noteable_type"], event["note"]["noteable_id"]) == (
        "Nice",
        "Commit",
        None,
    )
    assert cast.guest.get(f"{code.path}/events", target_type="note").json == []
